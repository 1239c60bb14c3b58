// Screens of entities, in whose names the account pays: the list, and one entity with its review.
import { APPROVAL_STATUSES } from '../../parties/entity/states.ts'
import { html } from '../../values/text/html.ts'
import { anyOf, postForm } from '../form.ts'
import { csvOf, type ListPage, textColumn } from '../list.ts'
import type { Entity } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, mainLink, makerWords, members, state, time, words } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'

export function entityScreens(screens: Screens): void {
  screens.list('account', '/entities', entityList)
  screens.csv('account', '/entities', visit => csvOf(visit, entityList(visit)))
  screens.show('account', '/entities/:id', showEntity)
  const submission = { to: '/v3/entity/:id/submit', next: '/entities/:id?done=submitted' }
  screens.send('account', '/entities/:id/submit', submission, showEntity)
}

async function showEntity(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const entity = await visit.api.get<Entity>(`/v3/entity/${id}`)
  const { approval_status, approval_status_description } = entity
  const pay = `${visit.root}/payouts/new?on_behalf_of=${id}`
  const submit = { action: `${visit.root}/entities/${id}/submit`, button: 'Submit for review' }
  const acts = html`<div class="acts">
${SUBMITTED_FROM.includes(approval_status) && postForm(visit, submit)}
${approval_status === 'approved' && link(pay, 'Pay in its name')}
${link(`${visit.root}/entities/${id}/edit`, 'Change')}</div>`
  const body = html`<div data-live-part><p class="lead">${state(approval_status)}
${approval_status_description}</p>
${may(visit, 'maker') && acts}</div>
${members(visit.root, entity)}`
  return { title: entity.name, body, live: id }
}

/** Those from which the account submits the entity. */
const SUBMITTED_FROM = ['pending', 'requires_action']

function entityList(visit: Visit): ListPage<Entity> {
  return {
    title: 'Entities',
    live: 'ent_',
    above: may(visit, 'maker') && mainLink(`${visit.root}/entities/new`, 'New entity'),
    api: '/v3/entity',
    caption: 'Entities, newest first',
    csv: true,
    columns: [
      {
        name: 'Name',
        show: ({ id, name }) => html`<a href="${visit.root}/entities/${id}">${name || id}</a>`,
        text: ({ name }) => name,
      },
      textColumn('Type', ({ type }) => type, words),
      textColumn('Review', ({ approval_status }) => approval_status, state),
      textColumn('Your reference', ({ reference_id }) => reference_id),
      textColumn('Made by', ({ made_by }) => made_by, makerWords),
      textColumn('Created', ({ created_at }) => created_at, time),
      { name: 'Id', text: ({ id }) => id },
    ],
    filters: [
      { name: 'approval_status', label: 'Review', options: anyOf(APPROVAL_STATUSES) },
      { name: 'reference_id', label: 'Your reference' },
    ],
    empty: 'No entities yet. Payouts in your own name do not need one.',
  }
}
