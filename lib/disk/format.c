/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/format.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* A slice of the bytes that the caller has read. */
struct span {
    const uint8_t *data;
    size_t len;
};

/* The signature at an offset; it may contain any byte. */
struct mark {
    size_t offset, len;
    const char *text;
};

#define MARK(offset, text)                                                                                   \
    {                                                                                                        \
        offset, sizeof(text) - 1, text                                                                       \
    }
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define BY_QEMU      "convert it: qemu-img convert -O raw IMAGE OUT"
#define BY_HDIUTIL   "convert it with macOS: hdiutil convert IMAGE -format UDTO -o OUT"
#define EXPORT_FILES "export its files to a folder and specify that folder"

enum { SECTOR = 512 };

/* ---- reading a span ---- */

static struct span span_from(struct span span, size_t offset)
{
    if (offset > span.len)
        return (struct span){span.data, 0};
    return offset ? (struct span){span.data + offset, span.len - offset} : span;
}

static struct span span_first(struct span span, uint64_t len)
{
    return len < span.len ? (struct span){span.data, (size_t)len} : span;
}

static struct span span_last(struct span span, size_t len)
{
    return len <= span.len ? span_from(span, span.len - len) : (struct span){span.data, 0};
}

static bool span_has(struct span span, const struct mark *mark)
{
    struct span rest = span_from(span, mark->offset);

    return rest.len >= mark->len && *rest.data == (uint8_t)*mark->text &&
           memcmp(rest.data, mark->text, mark->len) == 0;
}

static bool span_begins(struct span span, const char *text)
{
    return span_has(span, &(struct mark){0, strlen(text), text});
}

static bool span_mentions(struct span span, const char *text)
{
    return span.len > 0 && memmem(span.data, span.len, text, strlen(text));
}

/* Numbers; 0 if they lie beyond the end. */
static uint64_t load_little(struct span span, size_t offset, size_t bytes)
{
    uint64_t number = 0;

    span = span_from(span, offset);
    for (size_t i = bytes; span.len >= bytes && i > 0; i--)
        number = number << 8 | span.data[i - 1];
    return number;
}

static uint64_t load_big(struct span span, size_t offset, size_t bytes)
{
    uint64_t number = 0;

    span = span_from(span, offset);
    for (size_t i = 0; span.len >= bytes && i < bytes; i++)
        number = number << 8 | span.data[i];
    return number;
}

/* ---- containers identified by their first bytes ---- */

/*
 * Short signatures include some zeros of the version field that follows, so that no text matches.  Sources:
 * for EWF, libewf's documentation of the Expert Witness Compression Format; for others, the block drivers of
 * QEMU.
 */
static const struct {
    struct mark mark;
    struct format_verdict verdict;
} containers[] = {
    {MARK(0, "EVF\t\r\n\xff\0"), {FORMAT_EWF, "E01", NULL}},
    {MARK(0, "EVF2\r\n\x81\0"), {FORMAT_EWF, "Ex01", NULL}},
    {MARK(0, "LVF\t\r\n\xff\0"), {FORMAT_REFUSED, "L01", EXPORT_FILES}},
    {MARK(0, "LEF2\r\n\x81\0"), {FORMAT_REFUSED, "Lx01", EXPORT_FILES}},
    {MARK(0, "DVF\t\r\n\xff\0"), {FORMAT_REFUSED, "EWF delta", "specify the .E01 that it belongs to"}},
    {MARK(0, "AFF10\r\n\0"), {FORMAT_AFF, "AFF", NULL}},
    {MARK(0, "ADSEGMENTEDFILE\0"), {FORMAT_REFUSED, "AD1", EXPORT_FILES}},
    {MARK(0, "ADCRYPT\0"), {FORMAT_REFUSED, "AD encrypted image", "decrypt it with FTK Imager"}},
    {MARK(0, "vhdxfile"), {FORMAT_VHDX, "VHDX", NULL}},
    {MARK(0, "# Disk DescriptorFile"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "COWD\1\0\0\0"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "COWD\3\0\0\0"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "KDMV\1\0\0\0"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "KDMV\2\0\0\0"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "KDMV\3\0\0\0"), {FORMAT_VMDK, "VMDK", NULL}},
    {MARK(0, "QFI\xfb\0\0\0\1"), {FORMAT_REFUSED, "qcow", BY_QEMU}},
    {MARK(0, "QFI\xfb"), {FORMAT_QCOW2, "qcow2", NULL}},
    {MARK(0, "QED\0"), {FORMAT_REFUSED, "QED", BY_QEMU}},
    {MARK(0, "WithoutFreeSpace"), {FORMAT_REFUSED, "Parallels disk", BY_QEMU}},
    {MARK(0, "WithouFreSpacExt"), {FORMAT_REFUSED, "Parallels disk", BY_QEMU}},
    {MARK(0, "Bochs Virtual HD Image\0"), {FORMAT_REFUSED, "Bochs disk", BY_QEMU}},
    {MARK(0, "#!/bin/sh\n#V2.0 Format\nmodprobe cloop"), {FORMAT_REFUSED, "cloop", BY_QEMU}},
    {MARK(0, "sprs\0\0\0"), {FORMAT_REFUSED, "Apple sparse image", BY_HDIUTIL}},
    {MARK(0, "koly\0\0\0\4\0\0\2\0"), {FORMAT_REFUSED, "dmg", BY_HDIUTIL}},
    {MARK(0, "encrcdsa"), {FORMAT_REFUSED, "encrypted dmg", BY_HDIUTIL}},
    {MARK(0, "partclone-image"),
     {FORMAT_REFUSED, "partclone image",
      "restore it: partclone.restore -C --restore_raw_file -s IMAGE -o OUT"}},
    {MARK(0, "PaRtImAgE-VoLuMe"), {FORMAT_REFUSED, "partimage image", "restore it with partimage"}},
};

static bool identify_by_head(struct span head, struct format_verdict *verdict)
{
    for (size_t i = 0; i < COUNT(containers); i++)
        if (span_has(head, &containers[i].mark)) {
            *verdict = containers[i].verdict;
            return true;
        }
    return false;
}

static bool is_vdi(struct span head)
{
    return span_begins(head, "<<< ") && load_little(head, 0x40, 4) == 0xbeda107f;
}

/* The bits that are the same in all versions (file(1), magic/Magdir/filesystems). */
static bool is_ghost(struct span head)
{
    return (load_big(head, 0, 4) & 0xfffff7f0) == 0xfeef0100;
}

/* ---- VMDK (VMware, Virtual Disk Format 5.0) ---- */

static struct span skip_blanks(struct span span)
{
    while (span.len > 0 && (*span.data == ' ' || *span.data == '\t'))
        span = span_from(span, 1);
    return span;
}

static struct span next_line(struct span text)
{
    while (text.len > 0 && *text.data != '\n' && *text.data != '\r')
        text = span_from(text, 1);
    return span_from(text, 1);
}

/* Returns whether the line specifies a parent: a number other than FFFFFFFF. */
static bool line_names_parent(struct span line)
{
    static const char key[] = "parentCID";
    uint64_t parent = 0;
    size_t digits = 0;

    line = skip_blanks(line);
    if (line.len < sizeof key - 1 || strncasecmp((const char *)line.data, key, sizeof key - 1) != 0)
        return false;
    line = skip_blanks(span_from(line, sizeof key - 1));
    if (line.len == 0 || *line.data != '=')
        return false;
    line = skip_blanks(span_from(line, 1));
    for (; digits < 9 && digits < line.len && isxdigit(line.data[digits]); digits++) {
        const int c = tolower(line.data[digits]);

        parent = parent << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return digits > 0 && parent != 0xffffffff;
}

int format_names_parent(const char *line, size_t len)
{
    return line_names_parent((struct span){(const uint8_t *)line, len});
}

/* The part of an embedded descriptor that the head contains; the header of the sparse extent gives its
 * position and size in sectors. */
static struct span embedded_descriptor(struct span head)
{
    const uint64_t sector = load_little(head, 28, 8), sectors = load_little(head, 36, 8);
    struct span text = {head.data, 0};

    if (sector < FORMAT_HEAD / SECTOR)
        text = span_from(head, (size_t)sector * SECTOR);
    return sectors < FORMAT_HEAD / SECTOR ? span_first(text, sectors * SECTOR) : text;
}

/* An extent listed in another file has no descriptor of its own, or leaves the space for it empty. */
static bool is_bare_extent(struct span head, struct span descriptor)
{
    return head.len >= SECTOR &&
           (load_little(head, 28, 8) == 0 || (descriptor.len > 0 && *descriptor.data == 0));
}

static struct format_verdict examine_vmdk(struct span head, struct format_verdict verdict)
{
    struct span text = head;

    if (span_begins(head, "COWD"))
        return verdict;
    if (span_begins(head, "KDMV")) {
        text = embedded_descriptor(head);
        if (is_bare_extent(head, text))
            return (struct format_verdict){FORMAT_REFUSED, "VMDK extent",
                                           "specify the .vmdk file that lists the extents"};
    }
    for (; text.len > 0; text = next_line(text))
        if (line_names_parent(text))
            return (struct format_verdict){
                FORMAT_REFUSED, "differencing VMDK",
                "convert it with its parents next to it: qemu-img convert -O raw IMAGE OUT"};
    return verdict;
}

/* ---- VHD (Microsoft, Virtual Hard Disk Image Format Specification) ---- */

enum { VHD_FIXED = 2, VHD_DIFFERENCING = 4 };

static bool is_vhd_footer(struct span footer)
{
    return span_begins(footer, "conectix") && load_big(footer, 12, 4) == 0x00010000;
}

/* The one's complement of the sum of all bytes except its own four. */
static bool vhd_checksum_holds(struct span footer)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < footer.len; i++)
        if (i < 64 || i >= 68)
            sum += footer.data[i];
    return load_big(footer, 64, 4) == (uint32_t)~sum;
}

static struct format_verdict vhd_of_type(uint64_t type)
{
    if (type == VHD_DIFFERENCING) /* qemu-img would silently convert it as if it had no parent */
        return (struct format_verdict){
            FORMAT_REFUSED, "differencing VHD",
            "merge it with its parents: VBoxManage clonemedium IMAGE OUT --format RAW"};
    return (struct format_verdict){FORMAT_VHD, "VHD", NULL};
}

/*
 * A fixed disk is raw except for its footer.  So a footer that belongs to a smaller file, at the end of a raw
 * disk, must not shorten that disk.
 */
static bool ends_as_vhd(struct span tail, uint64_t size, struct format_verdict *verdict)
{
    for (size_t len = SECTOR; len >= SECTOR - 1; len--) {
        const struct span footer = span_last(tail, len);

        if (!is_vhd_footer(footer) || !vhd_checksum_holds(footer))
            continue;
        if (load_big(footer, 60, 4) == VHD_FIXED && load_big(footer, 48, 8) != size - len)
            continue;
        *verdict = vhd_of_type(load_big(footer, 60, 4));
        return true;
    }
    return false;
}

/* ---- Apple disk images, identified by their last bytes ---- */

static bool ends_as_dmg(struct span tail, struct format_verdict *verdict)
{
    static const struct mark trailer = MARK(0, "koly\0\0\0\4\0\0\2\0"); /* version 4, 512 bytes */
    static const struct mark old_crypt = MARK(0, "\0\0\0\1cdsaencr");

    if (span_has(span_last(tail, SECTOR), &trailer))
        *verdict = (struct format_verdict){FORMAT_REFUSED, "dmg", BY_HDIUTIL};
    else if (span_has(span_last(tail, 12), &old_crypt))
        *verdict = (struct format_verdict){FORMAT_REFUSED, "encrypted dmg", BY_HDIUTIL};
    else
        return false;
    return true;
}

/* ---- AFF4: a zip file with a URN as its comment and a member of a certain name ---- */

static const char aff4_member[] = "container.description";

/* The comment of a zip file that ends where the span ends. */
static struct span zip_comment(struct span tail)
{
    enum { END_LEN = 22 };

    for (size_t len = END_LEN; len <= tail.len; len++) {
        const struct span end = span_last(tail, len);

        if (span_begins(end, "PK\5\6") && load_little(end, 20, 2) == len - END_LEN)
            return span_from(end, END_LEN);
    }
    return (struct span){tail.data, 0};
}

static bool lists_aff4_member(struct span tail)
{
    enum { ENTRY_LEN = 46 };

    for (size_t i = 0; i + ENTRY_LEN < tail.len; i++) {
        const struct span entry = span_from(tail, i);

        if (*entry.data == 'P' && span_begins(entry, "PK\1\2") &&
            load_little(entry, 28, 2) == sizeof aff4_member - 1 &&
            span_begins(span_from(entry, ENTRY_LEN), aff4_member))
            return true;
    }
    return false;
}

static bool is_aff4(struct span head, struct span tail)
{
    if (!span_begins(head, "PK\3\4"))
        return false;
    if (load_little(head, 26, 2) == sizeof aff4_member - 1 && span_begins(span_from(head, 30), aff4_member))
        return true;
    return span_mentions(zip_comment(tail), "aff4://") || lists_aff4_member(tail);
}

/* ---- the container ---- */

struct format_verdict format_container(const uint8_t *head_data, size_t head_len, const uint8_t *tail_data,
                                       size_t tail_len, uint64_t size)
{
    const struct span head = {head_data, head_len}, tail = {tail_data, tail_len};
    struct format_verdict verdict = {FORMAT_RAW, "raw", NULL};

    if (identify_by_head(head, &verdict))
        return verdict.format == FORMAT_VMDK ? examine_vmdk(head, verdict) : verdict;
    if (is_vhd_footer(head)) { /* the copy at the start of all but fixed disks */
        if (!ends_as_vhd(tail, size, &verdict) || verdict.format == FORMAT_VHD)
            verdict = vhd_of_type(load_big(head, 60, 4));
        return verdict;
    }
    if (is_vdi(head))
        return (struct format_verdict){FORMAT_VDI, "VDI", NULL};
    if (is_ghost(head))
        return (struct format_verdict){FORMAT_REFUSED, "Ghost image",
                                       "restore it with Ghost and image the disk"};
    if (is_aff4(head, tail))
        return (struct format_verdict){FORMAT_REFUSED, "AFF4", "export it as raw or E01"};
    if (!ends_as_vhd(tail, size, &verdict))
        ends_as_dmg(tail, &verdict);
    return verdict;
}

/* ---- content of a volume ---- */

/* As in libblkid (util-linux) and the headers of the Linux kernel; BitLocker and CoreStorage: libbde,
 * libfvde. */
static const struct {
    struct mark mark;
    struct format_content content;
} contents[] = {
    {MARK(0, "LUKS\xba\xbe\0\1"), {"LUKS1", 1, 0}},
    {MARK(0, "LUKS\xba\xbe\0\2"), {"LUKS2", 1, 0}},
    {MARK(3, "-FVE-FS-"), {"BitLocker", 1, 0}},
    {MARK(424, "\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01"),
     {"BitLocker To Go", 1, 0}},
    {MARK(424, "\x3b\x4d\xa8\x92\x80\xdd\x0e\x4d\x9e\x4e\xb1\xe3\x28\x4e\xae\xd8"),
     {"BitLocker To Go", 1, 0}},
    {MARK(88, "CS\1\0\0\0"), {"CoreStorage", 0, 0}}, /* with or without FileVault */
    {MARK(32, "NXSB"), {"APFS container", 0, 0}},
    {MARK(0, "XFSB"), {"XFS", 0, 0}},
    {MARK(65536 + 64, "_BHRfS_M"), {"btrfs", 0, 0}},
    {MARK(0, "\0\0\0ReFS\0"), {"ReFS", 0, 0}},
    {MARK(0, "\xfc\x4e\x2b\xa9\1\0\0\0"), {"Linux RAID member", 0, 0}},
    {MARK(4096, "\xfc\x4e\x2b\xa9\1\0\0\0"), {"Linux RAID member", 0, 0}},
    {MARK(16384 + 20, "\0\0\0\7version\0"), {"ZFS", 0, 0}}, /* the first pair of the label's list, in XDR */
    {MARK(1024, "\x10\x20\xf5\xf2"), {"F2FS", 0, 0}},
    {MARK(0, "hsqs"), {"SquashFS", 0, 0}},
    {MARK(1024, "\xe2\xe1\xf5\xe0"), {"EROFS", 0, 0}},
    {MARK(16, "Compressed ROMFS"), {"CramFS", 0, 0}},
    {MARK(512 + 16, "Compressed ROMFS"), {"CramFS", 0, 0}},
    {MARK(32768, "JFS1"), {"JFS", 0, 0}},
    {MARK(65536 + 52, "ReIsErFs"), {"ReiserFS", 0, 0}},
    {MARK(65536 + 52, "ReIsEr2Fs"), {"ReiserFS", 0, 0}},
    {MARK(65536 + 52, "ReIsEr3Fs"), {"ReiserFS", 0, 0}},
    {MARK(8192 + 52, "ReIsErFs"), {"ReiserFS", 0, 0}},
    {MARK(65536, "ReIsEr4"), {"Reiser4", 0, 0}},
    {MARK(1024, "\2\0\0\0\0\0\x34\x34"), {"NILFS2", 0, 0}}, /* revision and magic */
    {MARK(4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"), {"bcache", 0, 0}},
    {MARK(4096 + 24, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"), {"bcachefs", 0, 0}},
    {MARK(512 + 32, "1SFBEGIB"), {"BeFS", 0, 0}},
    {MARK(0, "\xce\xfa\xad\x1b"), {"SCO BFS", 0, 0}},
    {MARK(0, "PM\0\0"), {"Apple partition map", 0, 1}}, /* which is itself a partition */
};

/* The label may lie in any of the first four sectors. */
static bool is_lvm(struct span head)
{
    static const struct mark label = MARK(0, "LABELONE"), type = MARK(24, "LVM2 001");

    for (size_t sector = 0; sector < 4; sector++)
        if (span_has(span_from(head, sector * SECTOR), &label) &&
            span_has(span_from(head, sector * SECTOR), &type))
            return true;
    return false;
}

/* The signature is at the end of the first page; pages have 4 to 64 KiB. */
static bool is_swap(struct span head)
{
    static const char *const signatures[] = {"SWAPSPACE2", "SWAP-SPACE", "S1SUSPEND", "ULSUSPEND"};

    for (size_t page = 4096; page <= 65536; page *= 2)
        for (size_t i = 0; i < COUNT(signatures); i++)
            if (span_begins(span_from(head, page - 10), signatures[i]))
                return true;
    return false;
}

/* GRUB's code in a BIOS boot partition: the first sector loads the others, and contains this text to
 * display. */
static bool is_grub(struct span head)
{
    static const char text[] = "loading\0.\0\r\n\0Geom\0Read\0 Error";

    for (size_t at = 0; at + sizeof text <= SECTOR && at + sizeof text <= head.len; at++)
        if (memcmp(head.data + at, text, sizeof text) == 0)
            return true;
    return false;
}

/* In the volume recognition sequence (ECMA-167, part 2), in sectors of 2048 or 4096 bytes. */
static bool is_udf(struct span head)
{
    for (size_t at = 32768; at < 65536; at += 2048)
        if (span_begins(span_from(head, at + 1), "NSR02") || span_begins(span_from(head, at + 1), "NSR03"))
            return true;
    return false;
}

/* Two letters prove little, so the block size and the length of the name must be plausible as well (Inside
 * Macintosh: Files). */
static bool is_hfs(struct span head)
{
    const struct span mdb = span_from(head, 1024);
    const uint64_t block_len = load_big(mdb, 20, 4), name_len = load_big(mdb, 36, 1);

    return span_begins(mdb, "BD") && block_len > 0 && block_len % SECTOR == 0 && name_len >= 1 &&
           name_len <= 27;
}

enum { EXT_BIGALLOC = 0x200 }; /* one of the features that only forbid writing */

struct format_content format_content(const uint8_t *data, size_t len)
{
    const struct span head = {data, len};

    for (size_t i = 0; i < COUNT(contents); i++)
        if (span_has(head, &contents[i].mark))
            return contents[i].content;
    if (is_lvm(head))
        return (struct format_content){.name = "LVM2 physical volume"};
    if (is_swap(head))
        return (struct format_content){.name = "Linux swap", .no_files = 1};
    if (is_grub(head))
        return (struct format_content){.name = "GRUB", .no_files = 1};
    if (is_udf(head))
        return (struct format_content){.name = "UDF"};
    if (load_little(head, 1024 + 56, 2) == 0xef53 && load_little(head, 1024 + 100, 4) & EXT_BIGALLOC)
        return (struct format_content){.name = "ext4 with bigalloc"};
    return (struct format_content){.name = is_hfs(head) ? "HFS" : NULL};
}

/* ---- readable file systems, and partition tables ---- */

static const struct {
    struct mark mark;
    const char *name;
} systems[] = {
    {MARK(3, "NTFS    "), "NTFS"},           {MARK(3, "EXFAT   "), "exFAT"},
    {MARK(1024, "H+\0\4"), "HFS+"},          {MARK(1024, "HX\0\5"), "HFSX"},
    {MARK(32769, "CD001"), "ISO 9660"},      {MARK(32, "NXSB"), "APFS"},
    {MARK(9564, "\x54\x19\1\0"), "UFS1"},    {MARK(9564, "\0\1\x19\x54"), "UFS1"},
    {MARK(66908, "\x19\1\x54\x19"), "UFS2"}, {MARK(66908, "\x19\x54\1\x19"), "UFS2"},
};

static int is_power_of_two(uint64_t x)
{
    return x && !(x & (x - 1));
}

static int is_signed(struct span head)
{
    return head.len >= SECTOR && load_little(head, 510, 2) == 0xaa55;
}

static int is_ext(struct span head)
{
    return load_little(head, 1024 + 56, 2) == 0xef53 && load_little(head, 1024 + 24, 4) <= 6;
}

static int is_fat(struct span head)
{
    const uint64_t sector = load_little(head, 11, 2), cluster = load_little(head, 13, 1),
                   tables = load_little(head, 16, 1);

    return is_signed(head) && sector >= 512 && sector <= 4096 && is_power_of_two(sector) &&
           is_power_of_two(cluster) && load_little(head, 14, 2) > 0 && (tables == 1 || tables == 2) &&
           load_little(head, 21, 1) >= 0xf0;
}

const char *format_system(const uint8_t *data, size_t len)
{
    const struct span head = {data, len};

    for (size_t i = 0; i < COUNT(systems); i++)
        if (span_has(head, &systems[i].mark))
            return systems[i].name;
    return is_ext(head) ? "ext" : is_fat(head) ? "FAT" : NULL;
}

/* Plausible entries: the status byte has one of its two values, the type is set, and the ranges do not
 * overlap. */
static int is_dos_table(struct span head)
{
    enum { FIRST = 446, ENTRY = 16, ENTRIES = 4 };
    uint64_t end[ENTRIES] = {0}, start[ENTRIES] = {0};
    int used = 0;

    for (int i = 0; i < ENTRIES; i++) {
        const size_t at = FIRST + (size_t)i * ENTRY;
        const uint64_t status = load_little(head, at, 1), type = load_little(head, at + 4, 1);

        if (status != 0 && status != 0x80)
            return 0;
        if (type == 0)
            continue;
        start[i] = load_little(head, at + 8, 4);
        end[i] = start[i] + load_little(head, at + 12, 4);
        if (start[i] == 0 || end[i] == start[i])
            return 0;
        for (int k = 0; k < i; k++)
            if (start[i] < end[k] && start[k] < end[i])
                return 0;
        used++;
    }
    return used > 0;
}

int format_is_table(const uint8_t *data, size_t len)
{
    const struct span head = {data, len};

    return is_signed(head) && (span_begins(span_from(head, 512), "EFI PART") || is_dos_table(head));
}
