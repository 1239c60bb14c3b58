// The routes of /v3/saved_view: a person saves lists of the console under names of their own.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TransactionSql } from '../db/connect.ts'
import type { Reads } from '../engine/reads.ts'
import { found, refusal } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { pathId } from '../http/docs.ts'
import { addRoute } from '../http/route.ts'
import { Closed, Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { newId } from '../id.ts'
import {
  deleteView,
  insertView,
  listViews,
  MOST_VIEWS,
  renameView,
  type SavedView,
} from '../user/view-store.ts'
import { acting } from './operations.ts'
import { checkView, NewView, RenamedView, ViewQuery } from './view-request.ts'

const PATH = '/v3/saved_view'

export const ViewResponse = Closed(
  {
    object: Literals(['saved_view']),
    id: Type.String(),
    name: Type.String(),
    place: Type.String({ description: 'The path of the page, with its filters.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'SavedView' },
)

const ViewList = Closed(
  {
    object: Type.Literal('list'),
    has_more: Type.Literal(false),
    results: Type.Array(ViewResponse),
  },
  { title: 'SavedViewList', description: 'All views of the person, by name.' },
)

const DeletedView = Closed(
  { object: Type.Literal('saved_view'), id: Type.String(), deleted: Type.Literal(true) },
  { title: 'DeletedView' },
)

export function viewRoutes(app: FastifyInstance, deps: Reads): void {
  listRoute(app, deps)
  keepRoute(app, deps)
  renameRoute(app, deps)
  deleteRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: Reads): void {
  addRoute<{ Querystring: ViewQuery }>(app, PATH, 'person', {
    operationId: 'listSavedViews',
    summary: 'List the views of the console that you have saved.',
    querystring: ViewQuery,
    response: ViewList,
    refusals: ['invalid_query_parameter'],
    async send(request, reply) {
      const user = userOf(request)
      const { page = null } = request.query
      const views = await deps.inTurn('', () => listViews(deps.reads, user, page))
      const results = views.map(presentView)
      return sendList(request, reply, success({ object: 'list', has_more: false, results }))
    },
  })
}

function keepRoute(app: FastifyInstance, deps: Reads): void {
  addRoute<{ Body: NewView }>(app, PATH, 'person', {
    method: 'POST',
    config: { check: checkView },
    operationId: 'keepView',
    summary: 'Save a list of the console under a name.',
    description:
      'A page has each name once, so that a repeat saves nothing twice. ' +
      `A person has ${MOST_VIEWS} views at most.`,
    body: NewView,
    response: ViewResponse,
    refusals: ['invalid_field'],
    async send(request, reply) {
      const { name, place } = request.body
      const view = await writing(request, deps, (tx, user) =>
        insertView(tx, user, { view_id: newId('viw'), name: name.normalize('NFC').trim(), place }),
      )
      if (view === undefined) throw nameTaken()
      return send(reply, success(presentView(view)))
    },
  })
}

function renameRoute(app: FastifyInstance, deps: Reads): void {
  addRoute<{ Params: { id: string }; Body: RenamedView }>(app, `${PATH}/:id`, 'person', {
    method: 'PATCH',
    config: { check: checkView },
    operationId: 'renameView',
    summary: 'Give a view another name.',
    params: pathId('viw'),
    body: RenamedView,
    response: ViewResponse,
    refusals: ['not_found', 'invalid_field'],
    async send(request, reply) {
      const name = request.body.name.normalize('NFC').trim()
      const view = await writing(request, deps, (tx, user) =>
        renameView(tx, user, { view_id: request.params.id, name }),
      )
      return send(reply, success(presentView(found(view))))
    },
  })
}

function deleteRoute(app: FastifyInstance, deps: Reads): void {
  addRoute<{ Params: { id: string } }>(app, `${PATH}/:id`, 'person', {
    method: 'DELETE',
    config: { optionalBody: true },
    operationId: 'deleteView',
    summary: 'Delete a view.',
    params: pathId('viw'),
    response: DeletedView,
    refusals: ['not_found'],
    async send(request, reply) {
      const { id } = request.params
      const isDeleted = await writing(request, deps, (tx, user) => deleteView(tx, user, id))
      if (!isDeleted) throw refusal('not_found', 'You have no such view.')
      return send(reply, success({ object: 'saved_view', id, deleted: true }))
    },
  })
}

/** Runs `work` in the caller's name, so PostgreSQL refuses changes to another person's view. */
async function writing<T>(
  request: FastifyRequest,
  { reads }: Reads,
  work: (tx: TransactionSql, user: string) => Promise<T>,
): Promise<T> {
  const user = userOf(request)
  try {
    return await acting(reads, { user, act: 'view', ip: request.ip }, tx => work(tx, user))
  } catch (error) {
    const { constraint_name } = error as { readonly constraint_name?: string }
    if (constraint_name === 'saved_views_once') throw nameTaken()
    if (constraint_name !== 'views_of_a_person') throw error
    throw refusal('invalid_field', `A person has ${MOST_VIEWS} views at most; delete one.`, 'name')
  }
}

function nameTaken() {
  return refusal('invalid_field', 'You have a view of this name on this page.', 'name')
}

function userOf({ person }: FastifyRequest): string {
  if (person === null) throw refusal('insufficient_scope', 'Views are for people.')
  return person.user
}

function presentView({ view_id, name, place, created_at }: SavedView) {
  return { object: 'saved_view', id: view_id, name, place, created_at }
}
