/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FORMAT_H
#define KITH_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a file or a volume is, by its signature.  Everything is decided from bytes that the caller has read;
 * nothing here reads, allocates or trusts an offset that it finds.
 */
enum format {
    FORMAT_RAW, /* no container that is known: to be taken byte for byte */
    FORMAT_EWF, /* E01, S01, Ex01 */
    FORMAT_AFF,
    FORMAT_VMDK,
    FORMAT_VHD,
    FORMAT_VHDX,
    FORMAT_QCOW2,
    FORMAT_VDI,
    FORMAT_REFUSED, /* a container that cannot be read; taken as raw it would lose evidence */
};

enum {
    FORMAT_HEAD =
        128 << 10, /* bytes from the start that are looked at: btrfs and ReiserFS begin behind 64 KiB */
    FORMAT_TAIL = 64 << 10, /* and from the end */
};

struct format_verdict {
    enum format format;
    const char *name;   /* "qcow2", "E01" .. */
    const char *advice; /* if refused: what to do; "convert it: qemu-img convert -O raw IMAGE OUT" */
};

/*
 * The container format of a file of so many bytes.  head: its first bytes, at most FORMAT_HEAD of them, tail:
 * its last ones, at most FORMAT_TAIL; for a file that is shorter they are all of it and overlap.
 */
struct format_verdict format_container(const uint8_t *head, size_t head_len, const uint8_t *tail,
                                       size_t tail_len, uint64_t size);

/* Whether a line of a VMDK's descriptor, of len bytes at most, says that the disk has a parent. */
int format_names_parent(const char *line, size_t len);

struct format_content {
    const char *name; /* "LUKS2", "BitLocker", "XFS", "LVM2 physical volume"; NULL: nothing that is known */
    int encrypted;
    int no_files; /* it never holds any: swap space */
};

/* What lies in a volume in which no file system was found, by its first bytes (FORMAT_HEAD of them, if there
 * are). */
struct format_content format_content(const uint8_t *head, size_t len);

/* The file system that a volume begins like, of those that can be read ("NTFS", "ext"); NULL: like none of
 * them. */
const char *format_system(const uint8_t *head, size_t len);

/* Whether a disk begins with a DOS or GPT partition table in which the entries are sensible. */
int format_is_table(const uint8_t *head, size_t len);

#endif
