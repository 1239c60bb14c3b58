// The screen of the audit log: who did what, from where, and why.
import { describeOrigin } from '../../ledger/audit/origin.ts'
import { auditWords } from '../../operator/audit-words.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { JsonObject } from '../api.ts'
import type { ListPage } from '../list.ts'
import type { AuditedChange } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { time } from '../show.ts'

export function auditScreens(screens: Screens): void {
  screens.list('installation', '/audit', list)
}

function list(): ListPage<AuditedChange> {
  return {
    title: 'Audit log',
    api: '/v3/operator/audit',
    caption: 'Changes, newest first',
    cursor: 'before',
    cursorOf: ({ change_id }) => change_id,
    columns: [
      { name: 'When', show: ({ changed_at }) => time(changed_at) },
      { name: 'Who', show: ({ changed_by }) => html`<strong>${changed_by}</strong>` },
      {
        name: 'What',
        show: ({ act, reason, ...change }) =>
          html`${auditWords(change)} <span class="faint">${act}</span>
${reason && html`<br>${reason}`}`,
      },
      { name: 'Via', show: ({ via, origin }) => from(via, origin) },
      { name: 'Changed', show: ({ before, after }) => changes(before, after) },
    ],
    filters: [
      { name: 'by', label: 'Who' },
      { name: 'act', label: 'Action', hint: 'rates, user, payout …' },
      { name: 'account_id', label: 'Account' },
      { name: 'id', label: 'Object' },
    ],
    empty: 'No changes yet.',
  }
}

/** The origin in words; `via` may name the host as well. */
function from(via: string, origin: AuditedChange['origin']): string {
  const { host } = origin
  const way = host === undefined ? via : via.replace(` at ${host}`, '')
  return [way, describeOrigin(origin)].filter(Boolean).join(', ')
}

function changes(before: JsonObject | null, after: JsonObject | null): Html {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const text = (row: JsonObject | null, name: string) =>
    row === null || row[name] === undefined ? '–' : JSON.stringify(row[name])
  const changed = [...names].filter(name => text(before, name) !== text(after, name))
  return html`<details><summary>${changed.length} ${
    changed.length === 1 ? 'field' : 'fields'
  }</summary><ul class="plain">${changed.map(
    name => html`<li><code>${name}</code>: ${text(before, name)} → ${text(after, name)}</li>`,
  )}</ul></details>`
}
