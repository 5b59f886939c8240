/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk/mapped.h"

/*
 * qcow2 (QEMU, docs/interop/qcow2.txt), versions 2 and 3.  Not read through libqcow, which returns old data
 * for clusters that version 3 marks as zeros.  Images that need another file, or an unsupported feature, are
 * refused.
 */
enum {
    HEADER_LEN = 112,
    MOST_TABLE = 256 << 20,
    MOST_COUNTS = 64 << 20,
    INCOMPATIBLE_DIRTY = 1, /* concerns only the reference counts, which are not needed */
    INCOMPATIBLE_CORRUPT = 2,
    INCOMPATIBLE_DATA_FILE = 4,
    INCOMPATIBLE_COMPRESSION = 8,
    INCOMPATIBLE_EXTENDED = 16,
};

static const uint64_t OFFSET_BITS = 0x00fffffffffffe00, COMPRESSED = (uint64_t)1 << 62, ZEROS = 1,
                      COPIED = (uint64_t)1 << 63;

struct qcow2 {
    struct datafile file;
    bool has_zeros; /* version 3: a flag marks clusters of zeros */
    unsigned cluster_bits;
    uint64_t *first; /* offsets of the L2 tables */
    uint64_t first_count;
    uint64_t clusters, last_len; /* of the disk; bytes in the last cluster */
    struct mapped_tables *tables;
    struct mapped_parts parts;
    struct ranges loose; /* where compressed clusters may extend beyond what they certainly occupy */
    char damages[1024];
};

static uint64_t big(const uint8_t *at, int bytes)
{
    uint64_t number = 0;

    while (bytes-- > 0)
        number = number << 8 | *at++;
    return number;
}

/* The cluster occupies at least one byte of its last sector; the next one may begin right after that. */
static void locate_packed(const struct qcow2 *qcow2, uint64_t entry, struct mapped_place *place)
{
    const unsigned offset_bits = 62 - (qcow2->cluster_bits - 8);
    const uint64_t sectors = (entry & (COMPRESSED - 1)) >> offset_bits;

    place->kind = MAPPED_PACKED;
    place->offset = entry & (((uint64_t)1 << offset_bits) - 1);
    place->packed_len = (size_t)((sectors + 1) * 512 - (place->offset & 511));
    place->claim_at = place->offset;
    place->claim_len = place->packed_len > 512 ? place->packed_len - 511 : 1;
}

/* Returns whether a table entry has only defined bits and the offset of a cluster; flags: further permitted
 * bits. */
static bool is_valid(const struct qcow2 *qcow2, uint64_t entry, uint64_t flags)
{
    const uint64_t cluster_mask = ((uint64_t)1 << qcow2->cluster_bits) - 1;

    return (entry & ~(OFFSET_BITS | COPIED | flags)) == 0 && (entry & OFFSET_BITS & cluster_mask) == 0;
}

static int find_cluster(void *map, uint64_t cluster, struct mapped_place *place)
{
    struct qcow2 *qcow2 = map;
    const unsigned table_bits = qcow2->cluster_bits - 3;
    const uint64_t cluster_mask = ((uint64_t)1 << qcow2->cluster_bits) - 1, first = cluster >> table_bits;
    const uint8_t *table;
    uint64_t entry;

    *place = (struct mapped_place){
        .kind = MAPPED_FREE, .file = &qcow2->file, .alike = ((first + 1) << table_bits) - cluster};
    if (first >= qcow2->first_count)
        return -1;
    if (!is_valid(qcow2, qcow2->first[first], 0))
        place->kind = MAPPED_BAD;
    if (place->kind == MAPPED_BAD || (qcow2->first[first] & OFFSET_BITS) == 0)
        return 0;
    table = mapped_tables_get(qcow2->tables, &qcow2->file, qcow2->first[first] & OFFSET_BITS);
    if (!table)
        return -1;
    place->alike = 1;
    place->table_at = qcow2->first[first] & OFFSET_BITS;
    place->table_len = (size_t)cluster_mask + 1;
    entry = big(table + (cluster & (((uint64_t)1 << table_bits) - 1)) * 8, 8);
    if (entry & COMPRESSED) {
        locate_packed(qcow2, entry, place);
        return 0;
    }
    if (!is_valid(qcow2, entry, qcow2->has_zeros ? ZEROS : 0)) {
        place->kind = MAPPED_BAD;
        return 0;
    }
    place->offset = entry & OFFSET_BITS;
    place->claim_at = place->offset;
    place->claim_len = place->offset ? cluster_mask + 1 : 0;
    if (entry & ZEROS)
        place->kind = MAPPED_ZEROS;
    else if (place->offset)
        place->kind = MAPPED_PLAIN;
    return 0;
}

static const char *qcow2_damages(void *map)
{
    return ((struct qcow2 *)map)->damages;
}

static void qcow2_close(void *map)
{
    struct qcow2 *qcow2 = map;

    mapped_parts_release(&qcow2->parts);
    ranges_release(&qcow2->loose);
    mapped_tables_free(qcow2->tables);
    free(qcow2->first);
    datafile_close(&qcow2->file);
    free(qcow2);
}

/* Returns what makes the image unsupported, and what to do, or NULL. */
static const char *lacks(const uint8_t *header, uint64_t incompatible)
{
    if (big(header + 8, 8))
        return "it has a backing file; convert it with that file next to it: "
               "qemu-img convert -O raw IMAGE OUT";
    if (big(header + 32, 4))
        return "it is encrypted; decrypt it with qemu-img convert and its secret";
    if (incompatible & INCOMPATIBLE_DATA_FILE)
        return "its data is in another file; convert it: qemu-img convert -O raw IMAGE OUT";
    if (incompatible & INCOMPATIBLE_EXTENDED)
        return "it has extended L2 entries; convert it: qemu-img convert -O raw IMAGE OUT";
    if (incompatible & INCOMPATIBLE_COMPRESSION)
        return "it is compressed with zstd; convert it: qemu-img convert -O raw IMAGE OUT";
    if (incompatible & ~(uint64_t)(INCOMPATIBLE_DIRTY | INCOMPATIBLE_CORRUPT))
        return "it needs a newer version of the format; convert it: qemu-img convert -O raw IMAGE OUT";
    return NULL;
}

static int check_header(struct qcow2 *qcow2, const uint8_t *header, const char *path, bool force,
                        struct error *err)
{
    const uint64_t version = big(header + 4, 4), size = big(header + 24, 8), count = big(header + 36, 4),
                   incompatible = version >= 3 ? big(header + 72, 8) : 0, snapshots = big(header + 60, 4);
    const char *lack;

    qcow2->cluster_bits = (unsigned)big(header + 20, 4);
    qcow2->has_zeros = version >= 3;
    if (memcmp(header, "QFI\xfb", 4) != 0 || (version != 2 && version != 3) || qcow2->cluster_bits < 9 ||
        qcow2->cluster_bits > 21 || size == 0 || size > INT64_MAX)
        return error_set(err, "%s: invalid qcow2 header", path);
    if ((lack = lacks(header, incompatible)))
        return error_set(err, "%s: unsupported qcow2 image: %s", path, lack);
    if ((incompatible & INCOMPATIBLE_CORRUPT) && !force)
        return error_set(err, "%s: marked as corrupt; use --force to read what remains", path);
    qcow2->first_count = count;
    qcow2->clusters = ((size - 1) >> qcow2->cluster_bits) + 1;
    qcow2->last_len = ((size - 1) & (((uint64_t)1 << qcow2->cluster_bits) - 1)) + 1;
    if (count > MOST_TABLE / 8 || (size - 1) >> (2 * qcow2->cluster_bits - 3) >= count)
        return error_set(err, "%s: cluster table too short for a disk of %" PRIu64 " bytes", path, size);
    if (incompatible & INCOMPATIBLE_CORRUPT)
        snprintf(qcow2->damages, sizeof qcow2->damages, "the image is marked as corrupt\n");
    if (snapshots)
        snprintf(qcow2->damages + strlen(qcow2->damages), sizeof qcow2->damages - strlen(qcow2->damages),
                 "internal snapshots not examined: %" PRIu64 "; only the current state was read\n",
                 snapshots);
    return 0;
}

static int read_first(struct qcow2 *qcow2, const uint8_t *header, const char *path, struct error *err)
{
    const size_t len = (size_t)qcow2->first_count * 8;
    uint8_t *data = malloc(len + 1);

    qcow2->first = malloc(len + 1);
    qcow2->tables = mapped_tables_new((size_t)1 << qcow2->cluster_bits);
    if (!data || !qcow2->first || !qcow2->tables) {
        free(data);
        return error_set(err, "%s: out of memory", path);
    }
    if (datafile_read(&qcow2->file, big(header + 40, 8), data, len)) {
        free(data);
        return error_set(err, "%s: cannot read the cluster table: the file is truncated or damaged", path);
    }
    for (uint64_t i = 0; i < qcow2->first_count; i++)
        qcow2->first[i] = big(data + i * 8, 8);
    free(data);
    return 0;
}

/* ---- checking the map ---- */

/* How the reference counts are stored. */
struct counts {
    uint64_t at, len; /* of the table of the blocks that hold them, in bytes */
    unsigned bits;    /* per count */
    bool is_exact;    /* everything counted is in the map: no snapshots, no bitmaps */
    bool is_dirty;    /* they may be out of date */
    bool is_unread;   /* some of them cannot be read */
    uint64_t lost;    /* clusters that are in use but not mapped */
};

static struct counts take_counts(const struct qcow2 *qcow2, const uint8_t *header)
{
    const bool is_new = big(header + 4, 4) >= 3;
    const uint64_t order = is_new ? big(header + 96, 4) : 4;

    return (struct counts){.at = big(header + 48, 8),
                           .len = big(header + 56, 4) << qcow2->cluster_bits,
                           .bits = order > 6 ? 0 : 1u << order,
                           .is_exact = big(header + 60, 4) == 0 && !(is_new && big(header + 88, 8)),
                           .is_dirty = is_new && (big(header + 72, 8) & INCOMPATIBLE_DIRTY)};
}

/* The file may end with the disk, within its last cluster; what follows is not read. */
static int claim_cluster(struct qcow2 *qcow2, uint64_t cluster, const struct mapped_place *place)
{
    const uint64_t needed = cluster + 1 < qcow2->clusters    ? (uint64_t)1 << qcow2->cluster_bits
                            : cluster + 1 == qcow2->clusters ? qcow2->last_len
                                                             : 0;

    if (mapped_parts_take(&qcow2->parts, cluster, place, needed))
        return -1;
    return place->kind == MAPPED_PACKED ? ranges_add(&qcow2->loose, place->offset, place->packed_len) : 0;
}

/* Claims the clusters that an L2 table lists. */
static int claim_listed(struct qcow2 *qcow2, uint64_t first)
{
    const uint64_t entries = (uint64_t)1 << (qcow2->cluster_bits - 3), at = qcow2->first[first] & OFFSET_BITS;

    if (!is_valid(qcow2, qcow2->first[first], 0))
        return ranges_add(&qcow2->parts.invalid, first * entries, entries);
    if (at == 0 || !mapped_parts_sound(&qcow2->parts, at, entries * 8))
        return 0;
    for (uint64_t i = 0; i < entries; i++) {
        struct mapped_place place;

        if (find_cluster(qcow2, first * entries + i, &place))
            return first * entries + i < qcow2->clusters
                       ? ranges_add(&qcow2->parts.cut, first * entries + i, entries - i)
                       : 0;
        if (place.kind == MAPPED_BAD ? ranges_add(&qcow2->parts.invalid, first * entries + i, 1)
                                     : claim_cluster(qcow2, first * entries + i, &place))
            return -1;
    }
    return 0;
}

/* Claims the blocks of reference counts. */
static int claim_counts(struct qcow2 *qcow2, const struct counts *counts, const uint8_t *table)
{
    if (!table)
        return 0;
    for (uint64_t i = 0; i < counts->len / 8; i++) {
        const uint64_t at = big(table + i * 8, 8) & ~(uint64_t)511;

        if (at && mapped_parts_claim(&qcow2->parts, at, (uint64_t)1 << qcow2->cluster_bits))
            return -1;
    }
    return mapped_parts_claim(&qcow2->parts, counts->at, counts->len);
}

/* Tables are claimed first: the entries of a table whose own position is contested mean nothing. */
static int claim_all(struct qcow2 *qcow2, const uint8_t *header, const struct counts *counts,
                     const uint8_t *table)
{
    const uint64_t cluster = (uint64_t)1 << qcow2->cluster_bits;

    if (mapped_parts_claim(&qcow2->parts, 0, cluster) ||
        mapped_parts_claim(&qcow2->parts, big(header + 40, 8), qcow2->first_count * 8) ||
        claim_counts(qcow2, counts, table))
        return -1;
    for (uint64_t i = 0; i < qcow2->first_count; i++)
        if ((qcow2->first[i] & OFFSET_BITS) && is_valid(qcow2, qcow2->first[i], 0) &&
            mapped_parts_claim(&qcow2->parts, qcow2->first[i] & OFFSET_BITS, cluster))
            return -1;
    if (mapped_parts_settle(&qcow2->parts))
        return -1;
    for (uint64_t i = 0; i < qcow2->first_count; i++)
        if (claim_listed(qcow2, i))
            return -1;
    ranges_sort(&qcow2->loose);
    return mapped_parts_settle(&qcow2->parts);
}

static bool is_counted(const struct counts *counts, const uint8_t *block, uint64_t i)
{
    if (counts->bits < 8)
        return block[i * counts->bits / 8] >> (i * counts->bits % 8) & ((1u << counts->bits) - 1);
    return big(block + i * (counts->bits / 8), (int)(counts->bits / 8)) != 0;
}

/* Compares one block of reference counts with what the map refers to. */
static int compare_counts(struct qcow2 *qcow2, struct counts *counts, uint64_t number, const uint8_t *block)
{
    const uint64_t cluster = (uint64_t)1 << qcow2->cluster_bits, each = cluster * 8 / counts->bits;

    for (uint64_t i = 0; i < each; i++) {
        const uint64_t at = (number * each + i) * cluster;
        const bool is_counted_in = block && is_counted(counts, block, i);

        if (at >= qcow2->file.size)
            break;
        if (is_counted_in)
            counts->lost += ranges_overlap(&qcow2->parts.claimed, at, cluster) == 0 &&
                            ranges_overlap(&qcow2->loose, at, cluster) == 0;
        else if (ranges_overlap(&qcow2->parts.claimed, at, cluster) &&
                 ranges_add(&qcow2->parts.contested, at, cluster))
            return -1;
    }
    return 0;
}

/* Returns whether the counts cover everything that the map claims. */
static bool counts_reach(const struct qcow2 *qcow2, const struct counts *counts)
{
    const struct ranges *claimed = &qcow2->parts.claimed;
    const struct range *last = &claimed->list[claimed->count - 1]; /* there is at least the header */
    const uint64_t end = last->start + last->len < qcow2->file.size ? last->start + last->len
                                                                    : qcow2->file.size,
                   cluster = (uint64_t)1 << qcow2->cluster_bits;

    return (end - 1) / cluster / (cluster * 8 / counts->bits) < counts->len / 8;
}

/* Counts that cannot be read prove nothing, but are noted. */
static int compare_all(struct qcow2 *qcow2, struct counts *counts, const uint8_t *table)
{
    const size_t cluster = (size_t)1 << qcow2->cluster_bits;
    uint8_t *block = malloc(cluster);
    int result = block ? 0 : -1;

    for (uint64_t i = 0; result == 0 && table && i < counts->len / 8; i++) {
        const uint64_t at = big(table + i * 8, 8) & ~(uint64_t)511;

        if (i * (cluster * 8 / counts->bits) * cluster >= qcow2->file.size)
            break;
        if (at && datafile_read(&qcow2->file, at, block, cluster))
            counts->is_unread = true;
        else
            result = compare_counts(qcow2, counts, i, at ? block : NULL);
    }
    free(block);
    return result;
}

static uint8_t *read_counts(const struct qcow2 *qcow2, const struct counts *counts)
{
    uint8_t *table = counts->len <= MOST_COUNTS ? malloc((size_t)counts->len + 1) : NULL;

    if (table && datafile_read(&qcow2->file, counts->at, table, (size_t)counts->len) == 0)
        return table;
    free(table);
    return NULL;
}

static void note_counts(struct qcow2 *qcow2, const struct counts *counts)
{
    const size_t len = strlen(qcow2->damages);

    if (counts->lost && counts->is_exact)
        snprintf(qcow2->damages + len, sizeof qcow2->damages - len,
                 "clusters in use according to the reference counts but not mapped: %" PRIu64 "; they were "
                 "not examined, and the content of unallocated clusters is in doubt\n",
                 counts->lost);
    if (counts->is_unread)
        snprintf(qcow2->parts.fault, sizeof qcow2->parts.fault,
                 "corrupt reference counts: they cannot be read, or do not cover the whole file");
    qcow2->parts.doubts_free = (counts->lost && counts->is_exact) || counts->is_unread;
}

static int check_map(struct qcow2 *qcow2, const uint8_t *header, const char *path, bool force,
                     struct error *err)
{
    struct counts counts = take_counts(qcow2, header);
    uint8_t *table = read_counts(qcow2, &counts);
    int failed = claim_all(qcow2, header, &counts, table);

    if (!failed && !counts.is_dirty) {
        counts.is_unread = !table || !counts.bits || !counts_reach(qcow2, &counts);
        failed = table && counts.bits && compare_all(qcow2, &counts, table);
    }
    free(table);
    if (failed)
        return error_set(err, "%s: out of memory", path);
    note_counts(qcow2, &counts);
    return mapped_parts_judge(&qcow2->parts, path, force, qcow2->damages, sizeof qcow2->damages, err);
}

int backend_qcow2_open(struct backend *backend, const char *path, struct content *content, bool force,
                       struct error *err)
{
    struct qcow2 *qcow2 = calloc(1, sizeof *qcow2);
    uint8_t header[HEADER_LEN] = {0};
    struct mapped mapped = {.form = DEFLATE_BARE,
                            .has_packed = true,
                            .find = find_cluster,
                            .damages = qcow2_damages,
                            .close = qcow2_close,
                            .map = qcow2};

    if (!qcow2)
        return error_set(err, "%s: out of memory", path);
    if (datafile_open(&qcow2->file, path, content, err)) {
        free(qcow2);
        return -1;
    }
    if (datafile_read(&qcow2->file, 0, header, 72) ||
        (big(header + 4, 4) >= 3 && datafile_read(&qcow2->file, 0, header, sizeof header)))
        error_set(err, "%s: truncated within its header", path);
    else if (check_header(qcow2, header, path, force, err) == 0 &&
             read_first(qcow2, header, path, err) == 0 && check_map(qcow2, header, path, force, err) == 0) {
        mapped.size = big(header + 24, 8);
        mapped.block_size = (uint32_t)1 << qcow2->cluster_bits;
        mapped.parts = &qcow2->parts;
        return mapped_open(backend, &mapped, err);
    }
    qcow2_close(qcow2);
    return -1;
}
