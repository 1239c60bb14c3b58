// The history of a rate and who set it, from the audit log: the line, and each change with its
// source.
import { html } from '../../text/html.ts'
import type { Json } from '../api.ts'
import { lineChart } from '../charts.ts'
import { rows, type Table } from '../list.ts'
import type { Screens } from '../screens.ts'
import { time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import type { AuditedChange } from './objects.ts'

export function rateHistoryScreens(screens: Screens): void {
  screens.show('installation', '/prices/:base/:quote', show)
}

/** Most entries of the log that are read, 100 a page. The feed of rates writes some 30 a day. */
const MOST_READ = 2000

async function show(visit: Visit): Promise<Screen> {
  const { base = '', quote = '' } = visit.params
  const api = visit.api.quietly()
  const latest = await api.first<AuditedChange>('/v3/operator/audit', MOST_READ, {}, last => ({
    before: last.change_id,
  }))
  const changes = latest.filter(({ table_name, before, after }) => {
    const row = after ?? before
    return table_name === 'rates' && row?.base === base && row.quote === quote
  })
  const points = changes.toReversed().flatMap(({ changed_at, after }) => {
    const mid = text(after?.mid)
    const value = scaled(mid)
    return value === undefined ? [] : [{ name: changed_at.slice(0, 10), value, shown: mid }]
  })
  const title = `1 ${base} in ${quote}`
  const body = html`${lineChart({ title, columns: ['Set on', quote], points })}
<h2>Changes</h2>${rows(TABLE, changes)}`
  return { title, body }
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** An exact decimal as an integer, for the height of a line. */
function scaled(mid: string): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(mid)
  return match === null ? undefined : BigInt(`${match[1]}${(match[2] ?? '').padEnd(12, '0')}`)
}

const TABLE: Table<AuditedChange> = {
  caption: 'Changes of the rate, newest first',
  empty: 'It was not changed lately.',
  columns: [
    { name: 'When', show: ({ changed_at }) => time(changed_at) },
    { name: 'Who', show: ({ changed_by }) => changed_by },
    { name: 'Was', number: true, show: ({ before }) => text(before?.mid) },
    { name: 'Became', number: true, show: ({ after }) => text(after?.mid) },
    { name: 'Source', show: ({ after }) => text(after?.source) },
  ],
}
