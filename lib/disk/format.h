/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FORMAT_H
#define KITH_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Identifies files and volumes by their signatures, solely from bytes that the caller has read; nothing here
 * reads, allocates or trusts an offset that it finds.
 */
enum format {
    FORMAT_RAW, /* no known container: read it byte by byte */
    FORMAT_EWF, /* E01, S01, Ex01 */
    FORMAT_AFF,
    FORMAT_VMDK,
    FORMAT_VHD,
    FORMAT_VHDX,
    FORMAT_QCOW2,
    FORMAT_VDI,
    FORMAT_REFUSED, /* a container that kith cannot read; reading it as raw would lose evidence */
};

enum {
    FORMAT_HEAD = 128 << 10, /* bytes examined at the start: btrfs and ReiserFS begin after 64 KiB */
    FORMAT_TAIL = 64 << 10,  /* bytes examined at the end */
};

struct format_verdict {
    enum format format;
    const char *name;   /* "qcow2", "E01", ... */
    const char *advice; /* if refused: what to do; "convert it: qemu-img convert -O raw IMAGE OUT" */
};

/*
 * Identifies the container format of a file of `size` bytes.  head: its first bytes, at most FORMAT_HEAD;
 * tail: its last bytes, at most FORMAT_TAIL.  For a short file each covers all of it.
 */
struct format_verdict format_container(const uint8_t *head, size_t head_len, const uint8_t *tail,
                                       size_t tail_len, uint64_t size);

/* Returns whether a line of at most len bytes in a VMDK descriptor says that the disk has a parent. */
int format_names_parent(const char *line, size_t len);

struct format_content {
    const char *name; /* "LUKS2", "BitLocker", "XFS", "LVM2 physical volume"; NULL: unknown */
    int encrypted;
    int no_files; /* it never holds files: swap space */
};

/* Identifies the content of a volume without a readable file system by its first bytes; FORMAT_HEAD of them,
 * or all if there are fewer. */
struct format_content format_content(const uint8_t *head, size_t len);

/* Returns the name of the readable file system whose signature a volume has ("NTFS", "ext"); NULL if it has
 * none of them. */
const char *format_system(const uint8_t *head, size_t len);

/* Returns whether a disk begins with a DOS or GPT partition table with plausible entries. */
int format_is_table(const uint8_t *head, size_t len);

#endif
