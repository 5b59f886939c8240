/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/crc.h"
#include "database/database_inner.h"

/*
 * An SQLite VFS on top of the default one.  It adds checksums to the pages of a main database file when they
 * are written and verifies them when they are read, disables memory mapping, and can hold on to the WAL write
 * lock.
 */

enum {
    LOCK_PAGE = 0x40000000 / DATABASE_PAGE + 1,
    WRITE_LOCK = 0, /* the first lock of the WAL index */
    REREADS = 100,
};

struct file {
    sqlite3_file base;
    sqlite3_file *real;
    uint32_t damaged;
    bool claims, claimed;
    bool private; /* keep the WAL index in memory */
    bool plain;   /* without checksums */
    void **regions;
    int region_count;
};

/* ---- pages ---- */

static uint32_t page_sum(const uint8_t *page, uint32_t number)
{
    const uint8_t place[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                             (uint8_t)number};

    return crc_update(crc_update(0, place, sizeof place), page, DATABASE_PAGE - DATABASE_SUM);
}

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, DATABASE_PAGE - 1) == 0;
}

bool database_page_is_good(const uint8_t *page, uint32_t number)
{
    const uint8_t *end = page + (DATABASE_PAGE - DATABASE_SUM);
    const uint32_t stored =
        (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | (uint32_t)end[3];

    return number == LOCK_PAGE ? is_zero(page) : stored == page_sum(page, number);
}

void database_page_seal(uint8_t *page, uint32_t number)
{
    uint8_t *end = page + (DATABASE_PAGE - DATABASE_SUM);
    const uint32_t sum = page_sum(page, number);

    for (int i = 0; i < DATABASE_SUM; i++)
        end[i] = (uint8_t)(sum >> (24 - 8 * i));
}

/* 0 if this is not a whole page. */
static uint32_t page_number(int len, sqlite3_int64 offset)
{
    const sqlite3_int64 number = offset / DATABASE_PAGE + 1;

    return len == DATABASE_PAGE && offset % DATABASE_PAGE == 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* ---- a main database file ---- */

static struct file *mine(sqlite3_file *file)
{
    return (struct file *)file;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return mine(file)->real;
}

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int damaged(sqlite3_file *file, uint32_t page)
{
    mine(file)->damaged = page;
    return SQLITE_IOERR_DATA;
}

/*
 * A new database: empty, or with the first page, which PRAGMA auto_vacuum writes.  While its schema is created,
 * SQLite reads pages past the end, where it puts others.  A file that was cut back to its first page is
 * still refused, for its header states its length.
 */
static bool is_new(sqlite3_file *file)
{
    sqlite3_int64 len = 0;

    return real_of(file)->pMethods->xFileSize(real_of(file), &len) == SQLITE_OK && len <= DATABASE_PAGE;
}

/* Reads a page from the file and verifies its checksum. */
static int read_page(sqlite3_file *file, uint8_t page[DATABASE_PAGE], uint32_t number)
{
    const sqlite3_int64 offset = (sqlite3_int64)(number - 1) * DATABASE_PAGE;
    const int code = real_of(file)->pMethods->xRead(real_of(file), page, DATABASE_PAGE, offset);

    if (code == SQLITE_IOERR_SHORT_READ)
        return is_new(file) ? code : damaged(file, number);
    if (code == SQLITE_OK && !database_page_is_good(page, number))
        return damaged(file, number);
    return code;
}

/* The checksum covers the page, so the whole page is read and verified even if only part of it is needed. */
static int read_part(sqlite3_file *file, uint8_t *into, uint32_t number, int from, int len)
{
    uint8_t page[DATABASE_PAGE];
    int code;

    if (len == DATABASE_PAGE)
        return read_page(file, into, number);
    code = read_page(file, page, number);
    if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ)
        memcpy(into, page + from, (size_t)len);
    return code;
}

/*
 * SQLite's page cache reads whole pages.  Since 3.45 long values are also read directly, without the end of
 * the page; so any offset and length is accepted here.
 */
static int file_read(sqlite3_file *file, void *into, int len, sqlite3_int64 offset)
{
    const sqlite3_int64 end = offset + len;
    int code = SQLITE_OK;

    /* SQLite reads the header alone, without a lock, to see whether the file changed; whatever else it uses
     * of the header comes from a read of the whole page 1. */
    if (mine(file)->plain || end <= DATABASE_HEADER)
        return real_of(file)->pMethods->xRead(real_of(file), into, len, offset);
    if (end / DATABASE_PAGE >= UINT32_MAX)
        return SQLITE_IOERR_READ;
    for (uint8_t *to = into; offset < end && (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ);) {
        const int from = (int)(offset % DATABASE_PAGE);
        const int part = (int)(end - offset < DATABASE_PAGE - from ? end - offset : DATABASE_PAGE - from);

        code = read_part(file, to, (uint32_t)(offset / DATABASE_PAGE) + 1, from, part);
        to += part;
        offset += part;
    }
    return code;
}

static int file_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset)
{
    const uint32_t page = page_number(len, offset);
    uint8_t sealed[DATABASE_PAGE];

    if (page == 0)
        return SQLITE_IOERR_WRITE;
    memcpy(sealed, data, sizeof sealed);
    if (page != LOCK_PAGE)
        database_page_seal(sealed, page);
    return real_of(file)->pMethods->xWrite(real_of(file), sealed, len, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 len)
{
    return real_of(file)->pMethods->xTruncate(real_of(file), len);
}

static int file_sync(sqlite3_file *file, int flags)
{
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int file_len(sqlite3_file *file, sqlite3_int64 *len)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), len);
}

static int file_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_is_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int file_control(sqlite3_file *file, int what, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, arg);
}

static int file_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

/* ---- its WAL index ---- */

static int private_map(struct file *file, int region, int len, int extend, void volatile **out)
{
    *out = NULL;
    while (extend && file->region_count <= region) {
        if (array_resize(&file->regions, (size_t)file->region_count + 1))
            return SQLITE_NOMEM;
        file->regions[file->region_count] = calloc(1, (size_t)len);
        if (!file->regions[file->region_count])
            return SQLITE_NOMEM;
        file->region_count++;
    }
    if (region < file->region_count)
        *out = file->regions[region];
    return SQLITE_OK;
}

static void private_unmap(struct file *file)
{
    for (int i = 0; i < file->region_count; i++)
        free(file->regions[i]);
    free(file->regions);
    file->regions = NULL;
    file->region_count = 0;
}

static int file_shm_map(sqlite3_file *file, int region, int len, int extend, void volatile **out)
{
    if (mine(file)->private)
        return private_map(mine(file), region, len, extend, out);
    return real_of(file)->pMethods->xShmMap(real_of(file), region, len, extend, out);
}

static int file_shm_lock(sqlite3_file *file, int first, int count, int flags)
{
    const bool is_write = first == WRITE_LOCK && count == 1 && (flags & SQLITE_SHM_EXCLUSIVE);
    int code;

    if (mine(file)->private || (is_write && mine(file)->claimed))
        return SQLITE_OK;
    code = real_of(file)->pMethods->xShmLock(real_of(file), first, count, flags);
    if (code == SQLITE_OK && is_write && mine(file)->claims && (flags & SQLITE_SHM_LOCK))
        mine(file)->claimed = true;
    return code;
}

static void file_shm_barrier(sqlite3_file *file)
{
    if (!mine(file)->private)
        real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    if (mine(file)->private) {
        private_unmap(mine(file));
        return SQLITE_OK;
    }
    if (mine(file)->claimed) {
        mine(file)->claimed = false;
        real_of(file)->pMethods->xShmLock(real_of(file), WRITE_LOCK, 1,
                                          SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    }
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

/* Version 2 has no memory mapping. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_len,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* ---- the VFS ---- */

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

/* SQLite allocates both files in one block (szOsFile): the real one starts here. */
static size_t real_at(void)
{
    return (sizeof(struct file) + 15) / 16 * 16;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    sqlite3_file *real = (sqlite3_file *)(void *)((char *)file + real_at());
    int code;

    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return real_vfs(vfs)->xOpen(real_vfs(vfs), name, file, flags, out_flags);
    *mine(file) = (struct file){.real = real,
                                .private = sqlite3_uri_boolean(name, "private", 0),
                                .plain = sqlite3_uri_boolean(name, "plain", 0)};
    real->pMethods = NULL;
    code = real_vfs(vfs)->xOpen(real_vfs(vfs), name, real, flags, out_flags);
    if (code == SQLITE_OK)
        file->pMethods = &methods;
    else if (real->pMethods)
        real->pMethods->xClose(real);
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    return real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, out);
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, room, out);
}

static int vfs_random(sqlite3_vfs *vfs, int len, char *out)
{
    return real_vfs(vfs)->xRandomness(real_vfs(vfs), len, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    return real_vfs(vfs)->xSleep(real_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *out)
{
    return real_vfs(vfs)->xCurrentTime(real_vfs(vfs), out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *out)
{
    return real_vfs(vfs)->xGetLastError(real_vfs(vfs), room, out);
}

static int vfs_register(sqlite3_vfs *vfs)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);

    if (!real)
        return SQLITE_ERROR;
    *vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)real_at() + real->szOsFile,
        .mxPathname = real->mxPathname,
        .zName = vfs->zName,
        .pAppData = real,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_name,
        .xRandomness = vfs_random,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    return sqlite3_vfs_register(vfs, 0);
}

/* The only state that outlives a connection: SQLite keeps a list of VFSs. */
const char *database_pages_vfs(void)
{
    static sqlite3_vfs vfs = {.zName = "kith-pages"};
    sqlite3_mutex *mutex;
    int code = sqlite3_initialize();

    if (code != SQLITE_OK)
        return NULL;
    mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    if (!sqlite3_vfs_find(vfs.zName))
        code = vfs_register(&vfs);
    sqlite3_mutex_leave(mutex);
    return code == SQLITE_OK ? vfs.zName : NULL;
}

/* ---- a connection's file ---- */

static struct file *file_of(sqlite3 *handle)
{
    sqlite3_file *file = NULL;

    if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file)
        return NULL;
    return file->pMethods == &methods ? mine(file) : NULL;
}

void database_pages_claim(sqlite3 *handle)
{
    struct file *file = file_of(handle);

    if (file)
        file->claims = true;
}

bool database_pages_claimed(sqlite3 *handle)
{
    const struct file *file = file_of(handle);

    return file && file->claimed;
}

uint32_t database_pages_damaged(sqlite3 *handle)
{
    const struct file *file = file_of(handle);

    return file ? file->damaged : 0;
}

/* Reads through SQLite's descriptor: closing another one would drop all POSIX locks of this process on the
 * file. */
int database_pages_first(sqlite3 *handle, uint8_t page[DATABASE_PAGE], int64_t *len)
{
    struct file *file = file_of(handle);
    sqlite3_int64 size = 0;
    int code;

    *len = 0;
    if (!file)
        return SQLITE_CANTOPEN;
    code = file_len(&file->base, &size);
    *len = size;
    if (code == SQLITE_OK)
        code = file->real->pMethods->xRead(file->real, page, DATABASE_PAGE, 0);
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/*
 * While a writer is at work a page may be half written, so a bad one is read again.  A page that is still in
 * the WAL may be a hole in the file if later pages were checkpointed first.
 */
static int check_page(struct file *file, uint32_t number, unsigned *rereads, bool *good)
{
    const sqlite3_int64 offset = (sqlite3_int64)(number - 1) * DATABASE_PAGE;
    const struct timespec moment = {.tv_nsec = 2000000};
    const bool holes = *rereads > 0;
    uint8_t page[DATABASE_PAGE];

    for (int i = 0;; i++) {
        const int code = file->real->pMethods->xRead(file->real, page, sizeof page, offset);

        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
            return code;
        *good = code == SQLITE_OK && (database_page_is_good(page, number) || (holes && is_zero(page)));
        if (*good || i == 3 || *rereads <= 1)
            return SQLITE_OK;
        (*rereads)--;
        nanosleep(&moment, NULL);
    }
}

int database_pages_check(sqlite3 *handle, bool changing, void (*report)(void *arg, uint32_t page), void *arg)
{
    struct file *file = file_of(handle);
    sqlite3_int64 len = 0;
    unsigned rereads = changing ? REREADS : 0;
    int code = file ? file_len(&file->base, &len) : SQLITE_CANTOPEN;

    for (uint32_t page = 1; code == SQLITE_OK && page <= len / DATABASE_PAGE; page++) {
        bool good = true;

        code = check_page(file, page, &rereads, &good);
        if (!good)
            report(arg, page);
    }
    return code;
}
