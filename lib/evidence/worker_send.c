/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "evidence/worker_inner.h"

void worker_put(struct evidence_worker *worker, enum evidence_message message)
{
    wire_put(&worker->out, message);
    worker->sent++;
}

bool worker_begin_item(struct evidence_worker *worker, uint32_t item)
{
    if (!crew_begin(worker->crew, item))
        return false;
    worker->begun++;
    return true;
}

bool worker_begin_halves(struct evidence_worker *worker, uint32_t item)
{
    worker->begun += crew_begin(worker->crew, item * BATCH_HALVES + 1);
    return worker_begin_item(worker, item * BATCH_HALVES);
}

/* A result that does not fit into memory must not be dropped silently. */
void worker_send(struct evidence_worker *worker)
{
    if (worker->out.failed)
        crew_give_up();
    if (worker->out.len)
        crew_send(worker->crew, worker->out.data, worker->out.len);
    buffer_reset(&worker->out);
}

/* Crafted evidence can yield results without end, so the number of messages is limited. */
bool worker_may_send(struct evidence_worker *worker, enum evidence_message message)
{
    if (worker->left[message] == 0) {
        worker->cut = true;
        return false;
    }
    worker->left[message]--;
    return true;
}

void worker_send_problem(struct evidence_worker *worker, const struct error *err)
{
    if (!worker_may_send(worker, MESSAGE_PROBLEM))
        return;
    worker_put(worker, MESSAGE_PROBLEM);
    wire_put_bytes(&worker->out, err->text, strlen(err->text));
    worker_send(worker);
}

/* Unreadable ranges must come before the objects they affect, so that the account can count them as
 * unreadable. */
void worker_send_bad(struct evidence_worker *worker)
{
    size_t count;
    const struct range *bad = medium_news(worker->medium, &count);

    for (size_t i = 0; i < count && worker_may_send(worker, MESSAGE_BAD); i++) {
        worker_put(worker, MESSAGE_BAD);
        wire_put(&worker->out, bad[i].start);
        wire_put(&worker->out, bad[i].len);
    }
    if (count)
        worker_send(worker);
}

static void send_object(struct evidence_worker *worker, enum evidence_message message,
                        const struct object *object)
{
    worker_put(worker, message);
    wire_put(&worker->out, object->item);
    object_encode(&worker->out, object);
}

/* One container could take all the room for members that a task has, so some is kept for the items that
 * follow. */
static void keep_room(struct evidence_worker *worker, uint64_t item)
{
    const uint64_t following = item < worker->items ? worker->items - item - 1 : 0;

    worker->kept.bytes = following * worker->share.bytes;
    worker->kept.members = following * worker->share.members;
}

/* Of members only as many are sent as fit into the result beside the objects; there is always room for the
 * one that says so. */
static bool send_member(struct evidence_worker *worker, const struct object *object)
{
    const bool fits = allowance_take(&worker->allowance, object);

    if (!worker_may_send(worker, MESSAGE_MEMBER))
        return false;
    send_object(worker, MESSAGE_MEMBER, object);
    worker->member_room -= worker->out.len < worker->member_room ? worker->out.len : worker->member_room;
    worker_send(worker);
    return fits && worker->member_room > worker->kept.bytes &&
           worker->left[MESSAGE_MEMBER] > worker->kept.members + 1;
}

bool worker_send_object(void *arg, struct object *object)
{
    struct evidence_worker *worker = arg;

    if (worker->medium)
        worker_send_bad(worker);
    if (object->kind == OBJECT_MEMBER)
        return send_member(worker, object);
    allowance_begin(&worker->allowance);
    keep_room(worker, object->item);
    if (worker_may_send(worker, MESSAGE_OBJECT)) {
        send_object(worker, MESSAGE_OBJECT, object);
        worker_send(worker);
    }
    return true;
}

/* Some calls yield very many results; the worker is not stuck while they keep coming. */
void worker_getting_on(void *arg)
{
    struct evidence_worker *worker = arg;

    crew_progress(worker->crew, 0);
}

unsigned worker_wanted_flag(struct wire *task)
{
    return wire_get(task) ? 0 : OBJECT_UNWANTED;
}
