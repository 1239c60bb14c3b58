// Screens of entity reviews: the entities that wait, and one entity with the form to decide.
import { html } from '../../values/text/html.ts'
import { bodyOf, postForm } from '../form.ts'
import type { ListPage } from '../list.ts'
import type { OperatorEntity } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, members, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

const API = '/v3/operator/entity'

export function reviewScreens(screens: Screens): void {
  screens.list('installation', '/entities', list)
  screens.show('installation', '/entities/:id', show)
  const body = ({ form }: Visit) => bodyOf(form, ['status', 'seen', 'reason'])
  const review = { to: `${API}/:id/review`, body, next: '/entities?done=saved' }
  screens.send('installation', '/entities/:id', review, show)
}

function list(visit: Visit): ListPage<OperatorEntity> {
  return {
    title: 'Entity reviews',
    live: 'ent_',
    api: API,
    caption: 'Entities that wait for a review, oldest first',
    cursorOf: () => undefined,
    columns: [
      {
        name: 'Name',
        show: ({ entity: { id, name } }) => link(`${visit.root}/entities/${id}`, name || id),
      },
      { name: 'Review', show: ({ entity }) => state(entity.approval_status) },
      { name: 'Payouts held', number: true, show: ({ payouts_held }) => payouts_held },
      { name: 'Account', show: ({ account_id }) => account_id },
      { name: 'Changed', show: ({ entity }) => time(entity.updated_at) },
    ],
    filters: [{ name: 'account_id', label: 'Account' }],
    empty: 'No entity waits for a review.',
  }
}

const DECISIONS = { approved: 'approve', requires_action: 'ask for more', rejected: 'reject' }

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const found = await visit.api.get<OperatorEntity>(`${API}/${id}`)
  const { entity, payouts_held, screening } = found
  const body = html`<p class="lead">${state(entity.approval_status)}
${payouts_held !== '0' && html`${payouts_held} payouts wait for this review.`}
${screening && html`<a href="${visit.root}/screening/${id}">Screening: ${screening}</a>`}</p>
${postForm(visit, {
  action: `${visit.root}/entities/${id}`,
  button: 'Decide',
  asksPassword: true,
  hidden: { seen: entity.updated_at },
  fields: [
    { name: 'status', label: 'Decision', options: DECISIONS },
    { name: 'reason', label: 'Reason', hint: 'The account sees this reason.' },
  ],
})}
<h2>Details of the entity</h2>${members(visit.root, entity)}`
  return { title: entity.name || id, body }
}
