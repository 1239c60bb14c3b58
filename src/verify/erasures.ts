// Compares erasures with the rows that they name: these rows are erased, and no others. The event
// of an erasure and the audit log have the digest of the erasure and its rows.
import { isDeepStrictEqual } from 'node:util'
import type { Beneficiary } from '../parties/beneficiary/beneficiary.ts'
import { detailsOf, type StoredDetails } from '../parties/beneficiary/columns.ts'
import type { Entity } from '../parties/entity/entity.ts'
import {
  digestOfErasure,
  erasedBeneficiary,
  erasedEntity,
  erasedFact,
  type Fact,
} from '../privacy/erased.ts'
import type { ErasedRow, Erasure } from '../privacy/privacy.ts'
import { EACH_EVENT } from '../statements/event/row-sql.ts'
import { BadRow, type Findings } from './problem.ts'
import {
  isArchived,
  lastCut,
  nameRows,
  ofAccount,
  rule,
  statement,
  type Verification,
} from './rows.ts'
import { openStream } from './stream.ts'

/** With the digests of its event and the audit log. */
interface NamedRow extends Erasure, ErasedRow {
  readonly details: StoredDetails | Entity['details'] | null
  readonly payee: string
  readonly approval: Pick<Entity, 'approval_status_description' | 'approval_history'> | null
  /** Of a payout; null for other rows. */
  readonly message: { readonly particulars: object; readonly mt103: string } | null
  /** An archive may have the event of the erasure. */
  readonly may_be_archived: boolean
  /** An archive has the erased event. */
  readonly is_archived: boolean
  /** Of an erased event; null for other rows. */
  readonly fact: Fact | null
  /** Of an erased event; '' for other rows. */
  readonly type: string
  /** Of an erased event; '' for other rows. */
  readonly object_id: string
  /** In the event of the erasure; null without such an event. */
  readonly told: string | null
  /** In the audit log; null without such an act. */
  readonly recorded: string | null
}

const ERASURES = statement`
  select r.account_id, r.party_id, r.erased_at, r.erased_by, r.reason, r.table_name, r.key,
    encode(r.was, 'hex') as was, encode(r.becomes, 'hex') as becomes,
    coalesce(b.details, n.details, p.beneficiary_details) as details,
    case when p.id is not null then json_build_object('particulars', p.particulars,
      'mt103', p.mt103) end as message, coalesce(p.beneficiary_id, '') as payee,
    case when n.id is not null then json_build_object(
      'approval_status_description', n.approval_status_description,
      'approval_history', n.approval_history) end as approval,
    ${isArchived('r.erased_at', 'r.account_id')} as may_be_archived,
    r.table_name = 'events' and e.sequence is null and length(r.key) < 19 and r.key ~ '^[0-9]+$'
      and lpad(r.key, 19, '0')
        <= lpad(coalesce(${lastCut('sequence', 'r.account_id')}, 0)::text, 19, '0') as is_archived,
    e.data -> 0 as fact, coalesce(e.type, '') as type, coalesce(e.object_id, '') as object_id,
    (select t.data ->> 'digest' from ${EACH_EVENT} t
      where t.account_id = r.account_id and t.about = r.party_id and t.about <> ''
        and t.type in ('beneficiary.erased', 'entity.erased') order by t.sequence limit 1) as told,
    (select a.after ->> 'erasure' from audit_log a
      where a.table_name in ('beneficiaries', 'entities') and a.after ->> 'id' = r.party_id
        and a.after ->> 'account_id' = r.account_id and a.after ->> 'erasure' is not null
      order by a.change_id limit 1) as recorded
  from erasures r
  left join beneficiaries b on r.table_name = 'beneficiaries' and b.account_id = r.account_id
    and b.id = r.key
  left join entities n on r.table_name = 'entities' and n.account_id = r.account_id
    and n.id = r.key
  left join payouts p on r.table_name = 'payouts' and p.account_id = r.account_id
    and p.id = r.key
  left join events e on r.table_name = 'events' and e.account_id = r.account_id
    and e.sequence::text = r.key
  where ${ofAccount('r.account_id')}
  order by r.account_id, r.party_id, r.table_name, r.key`

export async function checkErasures(run: Verification): Promise<void> {
  const { findings } = run
  const stream = await openStream<NamedRow>(run, ERASURES)
  let rows: NamedRow[] = []
  for (; stream.row !== undefined; await stream.next()) {
    const { row } = stream
    const [first] = rows
    if (first !== undefined && !isOfErasure(row, first)) {
      checkErasure(rows, findings)
      rows = []
    }
    rows.push(row)
    findings.guard(placeOf(row), () => checkForm(row))
  }
  checkErasure(rows, findings)
  await stream.close()
  await nameRows(run, ERASED_ROWS_ARE_NAMED)
}

function isOfErasure(row: NamedRow, first: NamedRow): boolean {
  return row.account_id === first.account_id && row.party_id === first.party_id
}

function placeOf({ account_id, table_name, key }: NamedRow) {
  return { table: 'erasures', account_id, key: `${table_name} ${key}` }
}

/** The event and the audit log must have the digest of all rows of the erasure. */
function checkErasure(rows: readonly NamedRow[], findings: Findings): void {
  const [first] = rows
  if (first === undefined) return
  const { told, recorded } = first
  const digest = digestOfErasure(first, rows)
  const bad = (row: NamedRow, expected: string, found: string | null) =>
    findings.add({ ...placeOf(row), expected, found: found ?? 'none' })
  if (told !== digest && !(told === null && first.may_be_archived))
    bad(first, `an event of the erasure with digest ${digest}`, told)
  if (recorded !== digest) bad(first, `an act in the audit log with digest ${digest}`, recorded)
  const facts = (row: NamedRow) => [row.erased_at, row.erased_by, row.reason].join(', ')
  for (const row of rows) if (facts(row) !== facts(first)) bad(row, facts(first), facts(row))
}

/** The row must have exactly its erased form: no erased data may still be there or be back. */
function checkForm(row: NamedRow): void {
  const { table_name, key, type, is_archived } = row
  const forms = formsOf(row)
  if (forms === 'kept' || is_archived) return
  const [found, form] = forms ?? [null, undefined]
  if (form !== undefined && isDeepStrictEqual(found, form)) return
  const expected = `${table_name} ${key} in its erased form`
  throw new BadRow({ ...placeOf(row), expected, found: found === null ? 'none' : `${type} data` })
}

type Forms = readonly [found: unknown, form: unknown]

/** Undefined without a row; `kept` for other tables. */
function formsOf(row: NamedRow): Forms | 'kept' | undefined {
  const { table_name, key, details, approval, message, fact, type, object_id, payee } = row
  switch (table_name) {
    case 'beneficiaries':
      return details === null ? undefined : detailForms(details as StoredDetails, key)
    case 'payouts': {
      if (details === null || message === null) return undefined
      const [found, form] = detailForms(details as StoredDetails, payee)
      return [
        { found, ...message },
        { found: form, particulars: {}, mt103: '' },
      ]
    }
    case 'entities': {
      if (details === null || approval === null) return undefined
      const entity = erasedEntity({ details, ...approval } as Entity)
      const { details: form, approval_status_description, approval_history } = entity
      return [
        { details, approval },
        { details: form, approval: { approval_status_description, approval_history } },
      ]
    }
    case 'events':
      return fact === null ? undefined : [fact, erasedFact(type, object_id, fact)]
    default:
      return 'kept'
  }
}

function detailForms(stored: StoredDetails, id: string): Forms {
  const beneficiary = { id, details: detailsOf(stored, id) } as Beneficiary
  return [beneficiary.details, erasedBeneficiary(beneficiary).details]
}

/** Each erased row, and the object of each event of an erasure, has a row in `erasures`. */
const ERASED_ROWS_ARE_NAMED = rule('erasures')`
  select account_id, table_name || ' ' || key as key, 'a row of the erasure' as expected,
    'none' as found
  from (
    select account_id, 'beneficiaries' as table_name, id as key from beneficiaries
    where details ->> 'name' = '' and ${ofAccount('account_id')}
    union all
    select account_id, 'entities', id from entities
    where details ->> 'name' = '' and ${ofAccount('account_id')}
    union all
    select account_id, case type when 'entity.erased' then 'entities' else 'beneficiaries' end,
      object_id
    from events where type in ('beneficiary.erased', 'entity.erased')
      and ${ofAccount('account_id')}
    union all
    select account_id, 'payouts', id from payouts
    where beneficiary_details ->> 'name' = '' and ${ofAccount('account_id')}
    union all
    select account_id, 'payouts', object_id from events
    where type = 'payout.erased' and ${ofAccount('account_id')}
  ) s
  where not exists (
    select from erasures r where r.account_id = s.account_id and r.table_name = s.table_name
      and r.key = s.key)`
