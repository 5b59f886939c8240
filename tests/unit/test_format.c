/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "disk/format.h"

enum { IMAGE_LEN = 400000, SECTOR = 512 };

/* ---- an image that the tests write into ---- */

static uint8_t image[IMAGE_LEN];
static size_t image_len = IMAGE_LEN;

static void clear_image(size_t len)
{
    memset(image, 0, sizeof image);
    image_len = len;
}

static void put(size_t offset, const void *bytes, size_t len)
{
    memcpy(image + offset, bytes, len);
}

#define PUT(offset, text) put(offset, text, sizeof(text) - 1)

static void put_big(size_t offset, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image[offset + i] = (uint8_t)(number >> 8 * (bytes - 1 - i));
}

static void put_little(size_t offset, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image[offset + i] = (uint8_t)(number >> 8 * i);
}

static void *copy_exactly(const uint8_t *data, size_t len)
{
    void *copy = malloc(len ? len : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, len);
    return len ? copy : (free(copy), NULL);
}

/* From copies of exactly this size, so that a sanitizer sees reads beyond them. */
static struct format_verdict container_of(const uint8_t *data, size_t len)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD,
                 tail_len = len < FORMAT_TAIL ? len : FORMAT_TAIL;
    uint8_t *head = copy_exactly(data, head_len), *tail = copy_exactly(data + len - tail_len, tail_len);
    const struct format_verdict verdict = format_container(head, head_len, tail, tail_len, len);

    free(head);
    free(tail);
    return verdict;
}

static struct format_content content_of(const uint8_t *data, size_t len)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD;
    uint8_t *head = copy_exactly(data, head_len);
    const struct format_content content = format_content(head, head_len);

    free(head);
    return content;
}

static void assert_container(enum format format, const char *name)
{
    const struct format_verdict verdict = container_of(image, image_len);

    ck_assert_msg(verdict.format == format, "%s: %d (%s)", name, verdict.format, verdict.name);
    ck_assert_str_eq(verdict.name, name);
    ck_assert_int_eq(verdict.advice != NULL, format == FORMAT_REFUSED);
}

static void assert_raw(void)
{
    assert_container(FORMAT_RAW, "raw");
}

static void assert_content(const char *name, bool encrypted)
{
    const struct format_content content = content_of(image, image_len);

    ck_assert_msg(content.name && strcmp(content.name, name) == 0, "%s instead of %s", content.name, name);
    ck_assert_int_eq(content.encrypted, encrypted);
}

static void assert_no_content(void)
{
    const struct format_content content = content_of(image, image_len);

    ck_assert_msg(!content.name, "taken for %s", content.name);
    ck_assert_int_eq(content.encrypted, 0);
}

/* ---- containers by their first bytes ---- */

struct example {
    size_t offset, len;
    const char *bytes;
    enum format format;
    const char *name;
};

#define EXAMPLE(offset, bytes, format, name)                                                                 \
    {                                                                                                        \
        offset, sizeof(bytes) - 1, bytes, format, name                                                       \
    }

/* Alone in an image. */
static void show(const struct example *example)
{
    clear_image(IMAGE_LEN);
    put(example->offset, example->bytes, example->len);
}

#define PLAIN(offset, bytes) EXAMPLE(offset, bytes, FORMAT_RAW, "")

static const struct example containers[] = {
    EXAMPLE(0, "\x45\x56\x46\x09\x0d\x0a\xff\x00", FORMAT_EWF, "E01"),
    EXAMPLE(0, "\x45\x56\x46\x32\x0d\x0a\x81\x00", FORMAT_EWF, "Ex01"),
    EXAMPLE(0, "\x4c\x56\x46\x09\x0d\x0a\xff\x00", FORMAT_REFUSED, "L01"),
    EXAMPLE(0, "\x4c\x45\x46\x32\x0d\x0a\x81\x00", FORMAT_REFUSED, "Lx01"),
    EXAMPLE(0, "\x44\x56\x46\x09\x0d\x0a\xff\x00", FORMAT_REFUSED, "EWF delta"),
    EXAMPLE(0, "\x41\x46\x46\x31\x30\x0d\x0a\x00", FORMAT_AFF, "AFF"),
    EXAMPLE(0, "ADSEGMENTEDFILE\0\1\0\0\0", FORMAT_REFUSED, "AD1"),
    EXAMPLE(0, "ADCRYPT\0", FORMAT_REFUSED, "AD encrypted image"),
    EXAMPLE(0, "vhdxfile", FORMAT_VHDX, "VHDX"),
    EXAMPLE(0, "COWD\1\0\0\0\3\0\0\0", FORMAT_VMDK, "VMDK"),
    EXAMPLE(0, "COWD\3\0\0\0\x1b\0\0\0", FORMAT_VMDK, "VMDK"),
    EXAMPLE(0, "QFI\xfb\0\0\0\1", FORMAT_REFUSED, "qcow"),
    EXAMPLE(0, "QFI\xfb\0\0\0\2", FORMAT_QCOW2, "qcow2"),
    EXAMPLE(0, "QFI\xfb\0\0\0\3", FORMAT_QCOW2, "qcow2"),
    EXAMPLE(0, "QED\0\0\0\1\0", FORMAT_REFUSED, "QED"),
    EXAMPLE(0, "WithoutFreeSpace\2\0\0\0", FORMAT_REFUSED, "Parallels disk"),
    EXAMPLE(0, "WithouFreSpacExt\2\0\0\0", FORMAT_REFUSED, "Parallels disk"),
    EXAMPLE(0, "Bochs Virtual HD Image\0", FORMAT_REFUSED, "Bochs disk"),
    EXAMPLE(0, "#!/bin/sh\n#V2.0 Format\nmodprobe cloop file=$0", FORMAT_REFUSED, "cloop"),
    EXAMPLE(0, "sprs\0\0\0\3", FORMAT_REFUSED, "Apple sparse image"),
    EXAMPLE(0, "koly\0\0\0\4\0\0\2\0", FORMAT_REFUSED, "dmg"),
    EXAMPLE(0, "encrcdsa\0\0\0\2", FORMAT_REFUSED, "encrypted dmg"),
    EXAMPLE(0,
            "partclone-image\0"
            "0002",
            FORMAT_REFUSED, "partclone image"),
    EXAMPLE(0, "PaRtImAgE-VoLuMe\0", FORMAT_REFUSED, "partimage image"),
    EXAMPLE(0, "\xfe\xef\1\3", FORMAT_REFUSED, "Ghost image"),
    EXAMPLE(0, "\xfe\xef\x09\x01", FORMAT_REFUSED, "Ghost image"),
};

START_TEST(containers_are_recognized_by_their_first_bytes)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        const struct example *e = &containers[i];

        show(e);
        assert_container(e->format, e->name);
        clear_image(IMAGE_LEN); /* and only there */
        put(e->offset + 1, e->bytes, e->len);
        assert_raw();
        put(SECTOR, e->bytes, e->len);
        assert_raw();
    }
}
END_TEST

START_TEST(a_vdi_has_its_text_and_its_signature)
{
    clear_image(IMAGE_LEN);
    PUT(0, "<<< Oracle VM VirtualBox Disk Image >>>\n");
    assert_raw();
    PUT(0x40, "\x7f\x10\xda\xbe\1\0\1\0");
    assert_container(FORMAT_VDI, "VDI");
    PUT(0, "\xeb\x63\x90");
    assert_raw();
}
END_TEST

START_TEST(what_may_itself_be_evidence_is_raw)
{
    static const struct example plain[] = {
        PLAIN(0, "PK\3\4"),
        PLAIN(0, "\x1f\x8b\x08"),
        PLAIN(0, "\xfd"
                 "7zXZ\0"),
        PLAIN(0, "\x28\xb5\x2f\xfd"),
        PLAIN(0, "BZh91AY"),
        PLAIN(0, "7z\xbc\xaf\x27\x1c"),
        PLAIN(0, "MSWIM\0\0\0"),
        PLAIN(0, "\xeb\x3c\x90MSDOS5.0"),
        PLAIN(32769, "CD001"),
        PLAIN(0, "LUKS\xba\xbe\0\2"),
        PLAIN(0, "KDMV is a word"),
        PLAIN(0, "COWD is a word"),
        PLAIN(0, "sprs is a word"),
        PLAIN(0, "QED, it says"),
        PLAIN(0, "conectix is a word"),
        PLAIN(0, "koly is a word"),
        PLAIN(0, "\xfe\xef\3\1"),
        PLAIN(0, "\xfe\xef\1\x21"),
    };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        show(&plain[i]);
        assert_raw();
    }
}
END_TEST

/* ---- VMDK ---- */

static void put_extent(uint64_t sector, uint64_t sectors, const char *descriptor)
{
    clear_image(IMAGE_LEN);
    PUT(0, "KDMV\1\0\0\0\3\0\0\0");
    put_little(28, sector, 8);
    put_little(36, sectors, 8);
    if (sector < 700)
        put(sector ? sector * SECTOR : SECTOR, descriptor, strlen(descriptor));
}

#define DESCRIPTOR(parent)                                                                                   \
    "# Disk DescriptorFile\nversion=1\nCID=13acc851\n" parent "\ncreateType=\"monolithicSparse\"\n"

static void assert_text(const char *text, enum format format, const char *name)
{
    clear_image(strlen(text));
    put(0, text, strlen(text));
    assert_container(format, name);
    put_extent(1, 20, text);
    assert_container(format, name);
}

START_TEST(a_vmdk_without_a_parent_can_be_read)
{
    assert_text(DESCRIPTOR("parentCID=ffffffff"), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR("parentCID=FFFFFFFF\r"), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR(" parentCID = ffffffff"), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR("#"), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR("parentCID="), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR("parentCID"), FORMAT_VMDK, "VMDK");
    assert_text(DESCRIPTOR("# the parentCID=13acc851"), FORMAT_VMDK, "VMDK");
}
END_TEST

START_TEST(a_vmdk_with_a_parent_is_refused)
{
    assert_text(DESCRIPTOR("parentCID=13acc851"), FORMAT_REFUSED, "differencing VMDK");
    assert_text(DESCRIPTOR("parentCID=0"), FORMAT_REFUSED, "differencing VMDK");
    assert_text(DESCRIPTOR("parentCID=fffffffe"), FORMAT_REFUSED, "differencing VMDK");
    assert_text(DESCRIPTOR("\tParentcid =\t13ACC851\r"), FORMAT_REFUSED, "differencing VMDK");
    put_extent(200, 20, DESCRIPTOR("parentCID=13acc851"));
    assert_container(FORMAT_REFUSED, "differencing VMDK");
}
END_TEST

START_TEST(only_the_descriptor_of_a_sparse_vmdk_is_read)
{
    put_extent(1, 1, DESCRIPTOR("parentCID=ffffffff"));
    PUT(1024, "\nparentCID=13acc851\n");
    assert_container(FORMAT_VMDK, "VMDK");
    put_extent(256, 20, DESCRIPTOR("parentCID=13acc851")); /* right after the header */
    assert_container(FORMAT_VMDK, "VMDK");
    put_extent(UINT64_MAX / SECTOR + 2, UINT64_MAX, "");
    assert_container(FORMAT_VMDK, "VMDK");
    put_extent(1, UINT64_MAX / SECTOR + 2, DESCRIPTOR("parentCID=13acc851"));
    assert_container(FORMAT_REFUSED, "differencing VMDK");
}
END_TEST

START_TEST(an_extent_without_a_descriptor_is_refused)
{
    put_extent(0, 0, "");
    assert_container(FORMAT_REFUSED, "VMDK extent");
    put_extent(1, 20, "");
    assert_container(FORMAT_REFUSED, "VMDK extent");
}
END_TEST

/* ---- VHD ---- */

static void put_footer(size_t offset, unsigned type, uint64_t disk_len)
{
    uint32_t sum = 0;

    memset(image + offset, 0, 511);
    PUT(offset, "conectix\0\0\0\2\0\1\0\0");
    put_big(offset + 48, disk_len, 8);
    put_big(offset + 60, type, 4);
    for (size_t i = 0; i < 511; i++)
        sum += image[offset + i];
    put_big(offset + 64, ~sum, 4);
}

START_TEST(a_vhd_is_recognized_by_its_footer_at_the_end)
{
    clear_image(300000);
    put_footer(image_len - 512, 2, image_len - 512);
    assert_container(FORMAT_VHD, "VHD");
    clear_image(300000);
    put_footer(image_len - 512, 3, 1 << 30);
    assert_container(FORMAT_VHD, "VHD");
    clear_image(512 * 9 + 511);
    put_footer(image_len - 511, 2, image_len - 511);
    assert_container(FORMAT_VHD, "VHD");
}
END_TEST

START_TEST(a_vhd_is_recognized_by_the_copy_of_its_footer_at_the_start)
{
    clear_image(300000);
    put_footer(0, 3, 1 << 30);
    assert_container(FORMAT_VHD, "VHD");
    image[70] ^= 1; /* damaged, but nothing else begins like this */
    assert_container(FORMAT_VHD, "VHD");
}
END_TEST

START_TEST(a_differencing_vhd_is_refused)
{
    clear_image(300000);
    put_footer(0, 4, 1 << 30);
    assert_container(FORMAT_REFUSED, "differencing VHD");
    clear_image(300000);
    put_footer(image_len - 512, 4, 1 << 30);
    assert_container(FORMAT_REFUSED, "differencing VHD");
}
END_TEST

START_TEST(what_only_looks_like_the_footer_of_a_vhd_is_raw)
{
    clear_image(300000);
    put_footer(image_len - 512, 2, image_len - 512);
    image[image_len - 1] ^= 1;
    assert_raw();
    clear_image(300000);
    put_footer(image_len - 512, 2, 100000); /* that of a smaller file */
    assert_raw();
    put_footer(image_len - 512, 2, image_len - 512);
    put_big(image_len - 512 + 12, 0x00020000,
            4); /* a later version; the checksum holds as the sum differs by one */
    put_big(image_len - 512 + 64,
            (((uint64_t)image[image_len - 448] << 24 | (uint64_t)image[image_len - 447] << 16 |
              (uint64_t)image[image_len - 446] << 8 | image[image_len - 445]) -
             1),
            4);
    assert_raw();
    clear_image(300000);
    put_footer(image_len - 1024, 2, image_len - 512);
    assert_raw();
}
END_TEST

/* ---- Apple ---- */

START_TEST(a_dmg_is_recognized_by_its_trailer)
{
    clear_image(300000);
    PUT(image_len - 512, "koly\0\0\0\4\0\0\2\0");
    assert_container(FORMAT_REFUSED, "dmg");
    image[image_len - 512 + 7] = 5;
    assert_raw();
    PUT(image_len - 512, "koly\0\0\0\4\0\0\1\0");
    assert_raw();
    clear_image(300000);
    PUT(image_len - 511, "koly\0\0\0\4\0\0\2\0");
    assert_raw();
    clear_image(300000);
    PUT(image_len - 12, "\0\0\0\1cdsaencr");
    assert_container(FORMAT_REFUSED, "encrypted dmg");
    image[image_len - 9] = 'x';
    assert_raw();
}
END_TEST

/* ---- AFF4 ---- */

/* A zip of one member without its data; with a gap another one comes before it. */
static void put_zip(size_t gap, const char *member, const char *comment)
{
    const size_t name_len = strlen(member), directory = 30 + (gap ? 1 : name_len) + gap;
    const size_t end = directory + 46 + name_len;

    clear_image(end + 22 + strlen(comment));
    PUT(0, "PK\3\4");
    put_little(26, gap ? 1 : name_len, 2);
    put(30, gap ? "x" : member, gap ? 1 : name_len);
    PUT(directory, "PK\1\2");
    put_little(directory + 28, name_len, 2);
    put(directory + 46, member, name_len);
    PUT(end, "PK\5\6");
    put_little(end + 20, strlen(comment), 2);
    put(end + 22, comment, strlen(comment));
}

START_TEST(an_aff4_is_a_zip_with_a_urn_or_a_description)
{
    put_zip(200000, "other", "aff4://cf853d0b-5589-4c7c-8358-2ca1572b87eb");
    assert_container(FORMAT_REFUSED, "AFF4");
    put_zip(200000, "container.description", "");
    assert_container(FORMAT_REFUSED, "AFF4");
    put_zip(0, "container.description", "");
    image_len = 60; /* truncated */
    assert_container(FORMAT_REFUSED, "AFF4");
}
END_TEST

START_TEST(any_other_zip_is_raw)
{
    put_zip(200000, "other", "");
    assert_raw();
    put_zip(200000, "other", "a comment");
    assert_raw();
    put_zip(200000, "aff4://", "");
    assert_raw();
    put_zip(200000, "container.descriptions", "");
    assert_raw();
    put_zip(200000, "other", "aff4://");
    put_little(image_len - 7 - 2, 6, 2); /* the comment does not end with the file */
    assert_raw();
    put_zip(200000, "other", "aff4://");
    image[0] = 'x';
    assert_raw();
}
END_TEST

/* ---- contents ---- */

static const struct {
    size_t offset, len;
    const char *bytes, *name;
    bool encrypted;
} contents[] = {
#define CONTENT(offset, bytes, name, encrypted)                                                              \
    {                                                                                                        \
        offset, sizeof(bytes) - 1, bytes, name, encrypted                                                    \
    }
    CONTENT(0, "LUKS\xba\xbe\0\1", "LUKS1", true),
    CONTENT(0, "LUKS\xba\xbe\0\2", "LUKS2", true),
    CONTENT(0, "\xeb\x58\x90-FVE-FS-", "BitLocker", true),
    CONTENT(0, "\xeb\x52\x90-FVE-FS-", "BitLocker", true),
    CONTENT(424, "\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01", "BitLocker To Go", true),
    CONTENT(424, "\x3b\x4d\xa8\x92\x80\xdd\x0e\x4d\x9e\x4e\xb1\xe3\x28\x4e\xae\xd8", "BitLocker To Go", true),
    CONTENT(88, "CS\1\0\0\0", "CoreStorage", false),
    CONTENT(32, "NXSB\0\x10\0\0", "APFS container", false),
    CONTENT(0, "XFSB\0\0\x10\0", "XFS", false),
    CONTENT(0x10040, "_BHRfS_M", "btrfs", false),
    CONTENT(0, "\0\0\0ReFS\0\0\0\0\0\0\0\0\0FSRS", "ReFS", false),
    CONTENT(0, "\xfc\x4e\x2b\xa9\1\0\0\0", "Linux RAID member", false),
    CONTENT(4096, "\xfc\x4e\x2b\xa9\1\0\0\0", "Linux RAID member", false),
    CONTENT(0x4000, "\1\1\0\0\0\0\0\0\0\0\0\1\0\0\0\x24\0\0\0\x20\0\0\0\7version\0", "ZFS", false),
    CONTENT(1024, "\x10\x20\xf5\xf2\1\0", "F2FS", false),
    CONTENT(0, "hsqs", "SquashFS", false),
    CONTENT(1024, "\xe2\xe1\xf5\xe0", "EROFS", false),
    CONTENT(0, "\x45\x3d\xcd\x28\0\0\1\0\0\0\0\0\0\0\0\0Compressed ROMFS", "CramFS", false),
    CONTENT(512, "\x45\x3d\xcd\x28\0\0\1\0\0\0\0\0\0\0\0\0Compressed ROMFS", "CramFS", false),
    CONTENT(32768, "JFS1\1\0\0\0", "JFS", false),
    CONTENT(65588, "ReIsErFs", "ReiserFS", false),
    CONTENT(65588, "ReIsEr2Fs", "ReiserFS", false),
    CONTENT(65588, "ReIsEr3Fs", "ReiserFS", false),
    CONTENT(8244, "ReIsErFs", "ReiserFS", false),
    CONTENT(65536, "ReIsEr4\0", "Reiser4", false),
    CONTENT(1024, "\2\0\0\0\0\0\x34\x34\x18\1", "NILFS2", false),
    CONTENT(4120, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81", "bcache", false),
    CONTENT(4120, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef", "bcachefs", false),
    CONTENT(544, "1SFBEGIB", "BeFS", false),
    CONTENT(0, "\xce\xfa\xad\x1b", "SCO BFS", false),
    CONTENT(0, "LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001", "LVM2 physical volume", false),
    CONTENT(512, "LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001", "LVM2 physical volume", false),
    CONTENT(1536, "LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001", "LVM2 physical volume", false),
    CONTENT(4086, "SWAPSPACE2", "Linux swap", false),
    CONTENT(8182, "SWAPSPACE2", "Linux swap", false),
    CONTENT(65526, "SWAPSPACE2", "Linux swap", false),
    CONTENT(4086, "SWAP-SPACE", "Linux swap", false),
    CONTENT(4086, "S1SUSPEND\0", "Linux swap", false),
    CONTENT(4086, "ULSUSPEND\0", "Linux swap", false),
    CONTENT(34816, "\0NSR02\1", "UDF", false),
    CONTENT(36864, "\0NSR03\1", "UDF", false),
};

START_TEST(contents_are_recognized_by_their_signatures)
{
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        clear_image(IMAGE_LEN);
        put(contents[i].offset, contents[i].bytes, contents[i].len);
        assert_content(contents[i].name, contents[i].encrypted);
        image_len = contents[i].offset + contents[i].len;
        assert_content(contents[i].name, contents[i].encrypted);
        clear_image(IMAGE_LEN);
        put(contents[i].offset + 1, contents[i].bytes, contents[i].len);
        assert_no_content();
    }
}
END_TEST

START_TEST(grub_is_recognized_by_its_first_sector)
{
    static const char text[] = "loading\0.\0\r\n\0Geom\0Read\0 Error";

    for (size_t at = 0; at < 600; at += 7) {
        clear_image(IMAGE_LEN);
        put(at, text, sizeof text);
        if (at + sizeof text <= 512)
            assert_content("GRUB", false);
        else
            assert_no_content();
    }
}
END_TEST

START_TEST(hfs_has_blocks_and_a_name)
{
    clear_image(IMAGE_LEN);
    PUT(1024, "BD");
    assert_no_content();
    put_big(1024 + 20, 4096, 4);
    assert_no_content();
    put_big(1024 + 36, 5, 1);
    assert_content("HFS", false);
    put_big(1024 + 20, 4000, 4);
    assert_no_content();
    put_big(1024 + 20, 4096, 4);
    put_big(1024 + 36, 28, 1);
    assert_no_content();
    PUT(1024, "H+");
    put_big(1024 + 36, 5, 1);
    assert_no_content();
}
END_TEST

START_TEST(incomplete_signatures_are_not_recognized)
{
    clear_image(IMAGE_LEN);
    PUT(0, "LABELONE");
    assert_no_content();
    clear_image(IMAGE_LEN);
    PUT(2048, "LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001"); /* the fifth sector */
    assert_no_content();
    clear_image(IMAGE_LEN);
    PUT(0, "LUKS\xba\xbe\0\3");
    PUT(424, "\x3b\xd6\x67\x49");
    PUT(4096, "\xfc\x4e\x2b\xa9\2");
    PUT(FORMAT_HEAD, "_BHRfS_M");
    assert_no_content();
}
END_TEST

/* ---- anything ---- */

static void assert_sound(size_t len)
{
    const struct format_verdict verdict = container_of(image, len);
    const struct format_content content = content_of(image, len);

    ck_assert_ptr_nonnull(verdict.name);
    ck_assert_int_eq(verdict.advice != NULL, verdict.format == FORMAT_REFUSED);
    ck_assert(!content.encrypted || content.name);
}

START_TEST(an_empty_image_is_raw_and_holds_nothing)
{
    clear_image(0);
    assert_raw();
    assert_no_content();
    clear_image(IMAGE_LEN);
    assert_raw();
    assert_no_content();
}
END_TEST

START_TEST(random_bytes_of_every_length_are_raw)
{
    fill_random(image, IMAGE_LEN);
    for (image_len = 0; image_len <= 2000; image_len++) {
        fill_random(image, image_len);
        assert_raw();
        assert_no_content();
    }
}
END_TEST

START_TEST(files_truncated_at_any_length_are_read_within_their_bounds)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        for (size_t len = 0; len <= 2000; len++) {
            if (len == 0) {
                fill_random(image, 2000);
                put(containers[i].offset, containers[i].bytes, containers[i].len);
            }
            assert_sound(len);
        }
    for (size_t len = 0; len <= 2000; len++) {
        put_extent(1, 20, DESCRIPTOR("parentCID=13acc851"));
        assert_sound(len);
        put_zip(400, "container.description", "aff4://");
        memmove(image, image + image_len - (len < image_len ? len : image_len),
                len < image_len ? len : image_len);
        PUT(0, "PK\3\4");
        assert_sound(len);
    }
}
END_TEST

START_TEST(contents_truncated_within_their_signatures_are_not_recognized)
{
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        clear_image(IMAGE_LEN);
        put(contents[i].offset, contents[i].bytes, contents[i].len);
        for (image_len = contents[i].offset; image_len < contents[i].offset + contents[i].len; image_len++)
            assert_sound(image_len);
        image_len = contents[i].offset + 3;
        assert_no_content();
    }
}
END_TEST

START_TEST(signatures_in_random_surroundings_are_read_within_their_bounds)
{
    for (int round = 0; round < 20000; round++) {
        const struct example *e = &containers[random64() % (sizeof containers / sizeof *containers)];
        const size_t len = random64() % 2001, footer = random64() % 2;

        fill_random(image, 2001);
        if (random64() % 2)
            PUT(0, "KDMV\1\0\0\0");
        else
            put(e->offset, e->bytes, e->len);
        put_little(28, random64() >> (random64() % 64), 8);
        put_little(36, random64() >> (random64() % 64), 8);
        if (len >= 512)
            put_footer(len - 512 + footer, (unsigned)(random64() % 6), random64() >> (random64() % 64));
        assert_sound(len);
    }
}
END_TEST

/* ---- file systems ---- */

static const char *system_of(const uint8_t *data, size_t len)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD;
    uint8_t *head = copy_exactly(data, head_len);
    const char *name = format_system(head, head_len);

    free(head);
    return name;
}

static void assert_system(const char *name)
{
    const char *found = system_of(image, image_len);

    ck_assert_msg(found && strcmp(found, name) == 0, "%s instead of %s", found ? found : "none", name);
}

static void assert_no_system(void)
{
    const char *found = system_of(image, image_len);

    ck_assert_msg(!found, "taken for %s", found);
}

/*
 * HFS+: Apple, Technical Note 1150; ISO 9660: ECMA-119, 8.1; UFS: 0x011954 and 0x19540119 at 1372 of a
 * superblock at 8 or 64 KiB, in the order of the machine (FreeBSD, sys/ufs/ffs/fs.h); APFS: Apple File System
 * Reference, nx_superblock_t.
 */
static const struct {
    size_t offset, len;
    const char *bytes, *name;
} systems[] = {
#define SYSTEM(offset, bytes, name)                                                                          \
    {                                                                                                        \
        offset, sizeof(bytes) - 1, bytes, name                                                               \
    }
    SYSTEM(0, "\xeb\x52\x90NTFS    ", "NTFS"),
    SYSTEM(0,
           "\xeb\x76\x90"
           "EXFAT   ",
           "exFAT"),
    SYSTEM(1024, "H+\0\4", "HFS+"),
    SYSTEM(1024, "HX\0\5", "HFSX"),
    SYSTEM(32768, "\1CD001\1\0", "ISO 9660"),
    SYSTEM(32, "NXSB\0\x10\0\0", "APFS"),
    SYSTEM(8192 + 1372, "\x54\x19\1\0", "UFS1"),
    SYSTEM(8192 + 1372, "\0\1\x19\x54", "UFS1"),
    SYSTEM(65536 + 1372, "\x19\1\x54\x19", "UFS2"),
    SYSTEM(65536 + 1372, "\x19\x54\1\x19", "UFS2"),
};

START_TEST(file_systems_are_recognized_by_their_signatures)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        clear_image(IMAGE_LEN);
        put(systems[i].offset, systems[i].bytes, systems[i].len);
        assert_system(systems[i].name);
        clear_image(IMAGE_LEN);
        put(systems[i].offset + 1, systems[i].bytes, systems[i].len);
        assert_no_system();
    }
}
END_TEST

START_TEST(ext_has_its_magic_number_and_a_block_size)
{
    for (unsigned size = 0; size < 300; size++) { /* 1 KiB shifted */
        clear_image(IMAGE_LEN);
        PUT(1024 + 56, "\x53\xef");
        put_little(1024 + 24, size, 4);
        if (size <= 6)
            assert_system("ext");
        else
            assert_no_system();
    }
    clear_image(IMAGE_LEN);
    PUT(1024 + 56, "\xef\x53");
    assert_no_system();
}
END_TEST

/* As mkfs.fat writes it (FAT16): nothing where a partition table would be, or a message. */
static void put_fat(void)
{
    clear_image(IMAGE_LEN);
    PUT(0, "\xeb\x3c\x90mkfs.fat\0\2\4\4\0\2\0\2\0\0\xf8\x80\0\x20\0\2\0\0\0\0\0\0\0\2\0\x80\0\x29");
    PUT(54, "FAT16   ");
    PUT(510, "\x55\xaa");
}

START_TEST(fat_is_recognized_by_its_boot_sector)
{
    static const struct {
        size_t offset;
        unsigned bytes, right, wrong;
    } fields[] = {
        {11, 2, 512, 256}, {11, 2, 4096, 8192}, {11, 2, 1024, 1000}, {11, 2, 2048, 0},
        {13, 1, 1, 0},     {13, 1, 128, 129},   {14, 2, 32, 0},      {16, 1, 1, 0},
        {16, 1, 2, 3},     {21, 1, 0xf0, 0xef}, {21, 1, 0xff, 0},    {510, 2, 0xaa55, 0x55aa},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        put_fat();
        assert_system("FAT");
        put_little(fields[i].offset, fields[i].wrong, fields[i].bytes);
        assert_no_system();
        put_little(fields[i].offset, fields[i].right, fields[i].bytes);
        assert_system("FAT");
    }
}
END_TEST

START_TEST(a_file_system_is_not_hidden_by_a_boot_sector)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (systems[i].offset < SECTOR) /* it is the boot sector */
            continue;
        put_fat();
        put(systems[i].offset, systems[i].bytes, systems[i].len);
        assert_system(systems[i].name);
    }
}
END_TEST

START_TEST(file_systems_are_recognized_as_soon_as_their_signatures_are_complete)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        clear_image(IMAGE_LEN);
        put(systems[i].offset, systems[i].bytes, systems[i].len);
        for (image_len = systems[i].offset; image_len <= systems[i].offset + 2; image_len++)
            assert_no_system();
        for (image_len = systems[i].offset; image_len < systems[i].offset + systems[i].len; image_len++)
            system_of(image, image_len); /* within its bounds */
        assert_system(systems[i].name);
    }
    put_fat();
    for (image_len = 0; image_len < SECTOR; image_len++)
        assert_no_system();
    assert_system("FAT");
    clear_image(IMAGE_LEN);
    PUT(1024 + 56, "\x53\xef");
    for (image_len = 0; image_len < 1024 + 58; image_len++)
        assert_no_system();
    assert_system("ext");
}
END_TEST

/* ---- partition tables ---- */

static int is_table(const uint8_t *data, size_t len)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD;
    uint8_t *head = copy_exactly(data, head_len);
    const int result = format_is_table(head, head_len);

    free(head);
    return result;
}

static void put_partition(unsigned entry, unsigned status, unsigned type, uint64_t start, uint64_t sectors)
{
    const size_t at = 446 + 16 * (size_t)entry;

    image[at] = (uint8_t)status;
    image[at + 4] = (uint8_t)type;
    put_little(at + 8, start, 4);
    put_little(at + 12, sectors, 4);
}

/* After boot code, as GRUB and Windows write it. */
static void clear_table(void)
{
    clear_image(IMAGE_LEN);
    fill_random(image, 446);
    PUT(510, "\x55\xaa");
}

static void assert_table(int expected)
{
    ck_assert_int_eq(is_table(image, image_len), expected);
}

START_TEST(a_dos_table_has_an_entry)
{
    for (unsigned entry = 0; entry < 4; entry++) {
        clear_table();
        assert_table(0);
        put_partition(entry, 0, 0x83, 2048, 100000);
        assert_table(1);
        put_partition(entry, 0x80, 0x83, UINT32_MAX, UINT32_MAX);
        assert_table(1);
        put_little(510, 0x55aa, 2);
        assert_table(0);
    }
}
END_TEST

START_TEST(an_impossible_entry_makes_no_table)
{
    for (unsigned entry = 0; entry < 4; entry++) {
        for (unsigned status = 0; status < 256; status++) {
            clear_table();
            put_partition(0, 0, 7, 63, 100);
            put_partition(entry, status, 7, 2048, 100000);
            assert_table(status == 0 || status == 0x80);
            put_partition((entry + 1) % 4, status, 0, 0, 0); /* nor one that is not used */
            assert_table(status == 0 || status == 0x80);
        }
        clear_table();
        put_partition((entry + 1) % 4, 0, 7, 2048, 100000);
        put_partition(entry, 0, 7, 0, 100);
        assert_table(0);
        put_partition(entry, 0, 7, 63, 0);
        assert_table(0);
        put_partition(entry, 0, 7, 63, 1);
        assert_table(1);
        put_partition(entry, 0, 0, 2048, 7); /* unused: its position does not matter */
        assert_table(1);
    }
}
END_TEST

START_TEST(overlapping_partitions_make_no_table)
{
    for (int round = 0; round < 5000; round++) {
        uint64_t first[4], end[4];
        int apart = 1;

        clear_table();
        for (unsigned i = 0; i < 4; i++) {
            first[i] = 1 + random64() % (random64() % 2 ? 20 : UINT32_MAX);
            end[i] = first[i] + 1 + random64() % (random64() % 2 ? 4 : UINT32_MAX);
            put_partition(i, 0, 1 + (unsigned)(random64() % 255), first[i], end[i] - first[i]);
            for (unsigned k = 0; k < i; k++)
                if (!(end[k] <= first[i] || end[i] <= first[k]))
                    apart = 0;
        }
        assert_table(apart);
    }
    clear_table();
    put_partition(0, 0, 7, 100, 100);
    put_partition(1, 0, 7, 200, 100);
    assert_table(1);
    put_partition(1, 0, 7, 199, 100);
    assert_table(0);
    put_partition(0, 0, 7, 150, 10); /* within */
    put_partition(1, 0, 7, 100, 100);
    assert_table(0);
    put_partition(0, 0, 7, 0x80000000, 0x80000000); /* no sum is truncated to 32 bits */
    put_partition(1, 0, 7, 0x90000000, 1);
    assert_table(0);
}
END_TEST

START_TEST(a_gpt_is_recognized_by_its_header_after_the_boot_sector)
{
    clear_table();
    put_partition(0, 0, 0xee, 1, UINT32_MAX); /* as UEFI asks for */
    assert_table(1);
    PUT(512, "EFI PART\0\0\1\0");
    assert_table(1);
    put_partition(1, 0, 0xef, 40, 100); /* a hybrid, in which all lies within the first */
    assert_table(1);
    memset(image + 446, 0, 64);
    assert_table(1);
    for (image_len = 0; image_len < 520; image_len++)
        assert_table(0);
    assert_table(1);
    put_little(510, 0, 2);
    assert_table(0);
    clear_table();
    put_partition(0, 0, 0xee, 1, UINT32_MAX);
    PUT(4096, "EFI PART\0\0\1\0"); /* sectors of 4 KiB */
    assert_table(1);
}
END_TEST

START_TEST(the_boot_sector_of_a_file_system_is_not_a_table)
{
    put_fat();
    assert_table(0);
    PUT(446, "Non-System disk or disk error\r\nReplace and press any key when ready\r\n"); /* of MS-DOS, where
                                                                                              it may lie */
    PUT(510, "\x55\xaa");
    assert_system("FAT");
    assert_table(0);
    clear_image(IMAGE_LEN);
    PUT(0, "\xeb\x52\x90NTFS    ");
    PUT(440, "\r\nPress Ctrl+Alt+Del to restart\r\n");
    PUT(510, "\x55\xaa");
    assert_system("NTFS");
    assert_table(0);
}
END_TEST

START_TEST(a_table_is_not_a_file_system)
{
    clear_table();
    memset(image + 3, 0, 60); /* code could by chance be the fields of a FAT */
    put_partition(0, 0x80, 7, 2048, 100000);
    assert_no_system();
    assert_table(1);
}
END_TEST

START_TEST(a_boot_sector_may_be_both_a_fat_and_a_table)
{
    put_fat();
    put_partition(0, 0x80, 6, 63, 1000); /* some cards */
    assert_system("FAT");
    assert_table(1);
}
END_TEST

START_TEST(tables_and_file_systems_of_every_length_are_read_within_their_bounds)
{
    clear_table();
    put_partition(3, 0, 7, 2048, 100);
    for (image_len = 0; image_len < SECTOR; image_len++)
        assert_table(0);
    for (; image_len < 2000; image_len++)
        assert_table(1);
    for (size_t len = 0; len <= 2000; len++) {
        fill_random(image, 2001);
        PUT(510, "\x55\xaa");
        for (size_t i = 0; i < 4; i++)
            image[446 + 16 * i] = random64() % 2 ? 0 : 0x80;
        is_table(image, len);
        system_of(image, len);
    }
    clear_image(0);
    assert_table(0);
    assert_no_system();
}
END_TEST

RUN_TESTS("format", containers_are_recognized_by_their_first_bytes, a_vdi_has_its_text_and_its_signature,
          what_may_itself_be_evidence_is_raw, a_vmdk_without_a_parent_can_be_read,
          a_vmdk_with_a_parent_is_refused, only_the_descriptor_of_a_sparse_vmdk_is_read,
          an_extent_without_a_descriptor_is_refused, a_vhd_is_recognized_by_its_footer_at_the_end,
          a_vhd_is_recognized_by_the_copy_of_its_footer_at_the_start, a_differencing_vhd_is_refused,
          what_only_looks_like_the_footer_of_a_vhd_is_raw, a_dmg_is_recognized_by_its_trailer,
          an_aff4_is_a_zip_with_a_urn_or_a_description, any_other_zip_is_raw,
          contents_are_recognized_by_their_signatures, grub_is_recognized_by_its_first_sector,
          hfs_has_blocks_and_a_name, incomplete_signatures_are_not_recognized,
          an_empty_image_is_raw_and_holds_nothing, random_bytes_of_every_length_are_raw,
          files_truncated_at_any_length_are_read_within_their_bounds,
          contents_truncated_within_their_signatures_are_not_recognized,
          signatures_in_random_surroundings_are_read_within_their_bounds,
          file_systems_are_recognized_by_their_signatures, ext_has_its_magic_number_and_a_block_size,
          fat_is_recognized_by_its_boot_sector, a_file_system_is_not_hidden_by_a_boot_sector,
          file_systems_are_recognized_as_soon_as_their_signatures_are_complete, a_dos_table_has_an_entry,
          an_impossible_entry_makes_no_table, overlapping_partitions_make_no_table,
          a_gpt_is_recognized_by_its_header_after_the_boot_sector,
          the_boot_sector_of_a_file_system_is_not_a_table, a_table_is_not_a_file_system,
          a_boot_sector_may_be_both_a_fat_and_a_table,
          tables_and_file_systems_of_every_length_are_read_within_their_bounds)
