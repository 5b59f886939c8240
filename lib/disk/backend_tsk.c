/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "disk/backend.h"
#include "disk/tsk.h"

/*
 * Containers that libtsk reads through other libraries.  Their read functions are called directly, not
 * through tsk_img_read and its cache: see QUIRK_READ_ERRORS.
 */
static ssize_t image_read(void *state, uint64_t offset, void *into, size_t len)
{
    TSK_IMG_INFO *image = state;
    ssize_t got = image->read(image, (TSK_OFF_T)offset, into, len);

    if (got < 0) {
        tsk_error_reset();
        errno = EIO;
    }
    return got;
}

static void image_close(void *state)
{
    tsk_img_close(state);
}

int backend_tsk_open(struct backend *backend, char *const *paths, size_t count, const char *type,
                     struct error *err)
{
    TSK_IMG_TYPE_ENUM id = tsk_img_type_toid_utf8(type);
    TSK_IMG_INFO *image;

    if (id == TSK_IMG_TYPE_UNSUPP || id == TSK_IMG_TYPE_DETECT)
        return error_set(err, "%s: this libtsk was built without support for '%s' images", paths[0], type);
    image = tsk_img_open_utf8((int)count, (const char *const *)paths, id, 0);
    if (!image)
        return tsk_failed(err, "%s: cannot be opened as a '%s' image", paths[0], type);
    *backend = (struct backend){.size = image->size > 0 ? (uint64_t)image->size : 0,
                                .sector_size = image->sector_size,
                                .read = image_read,
                                .close = image_close,
                                .state = image};
    return 0;
}
