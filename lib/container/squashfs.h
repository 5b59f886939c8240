/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SQUASHFS_H
#define KITH_SQUASHFS_H

#include "container/container.h"

/*
 * squashfs 4.0 (the kernel's Documentation/filesystems/squashfs.rst): its regular files, named by their
 * paths, in the order of the directories.  Of several names of a file only the first is a member.
 */
extern const struct container_format squashfs_format;

#endif
