// The audit log: what people have changed by commands and by the operator API.
import { Closed, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { describeOrigin } from '../ledger/audit/origin.ts'
import { type AuditedChange, listAudit } from '../ledger/audit/store.ts'
import { invalidParameter, refuseIfAny } from '../values/errors.ts'
import { instantFromIso } from '../values/instant.ts'
import { toSecond } from '../values/text/age.ts'
import { type ActionGroup, paging } from './action.ts'
import { auditWords } from './audit-words.ts'
import { AccountId, LimitText } from './request.ts'

const AuditQuery = Closed(
  optional({
    limit: LimitText,
    before: Type.String({
      pattern: '^[0-9]{1,18}$',
      description: 'A change_id: the page starts with the change before it.',
    }),
    by: Text(100, { description: 'Only what this person has done.' }),
    act: Text(100, { description: 'Only this command or group, such as `payout transition`.' }),
    account_id: AccountId,
    id: Text(100, { description: 'Only what was done to this object, such as a payout.' }),
    since: Type.String({ format: 'date-time', description: 'Only from this time on.' }),
  }),
)

const Row = Type.Unsafe<Readonly<Record<string, string | null>> | null>({
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'null'] },
  description: 'Every value as text.',
})

export const ChangeResponse = Type.Object(
  {
    change_id: Type.String({
      description: 'The number of the change, counted from 1 without gaps.',
    }),
    table_name: Type.String(),
    changed_at: Timestamp,
    changed_by: Type.String({ description: 'The person.' }),
    act: Type.String({ description: 'What the person did, such as `payout transition`.' }),
    via: Type.String({
      description: 'Where the change came from, such as `api from 203.0.113.7`.',
    }),
    origin: Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'What the person did not choose. Of a command: `os_user`, `host`, `terminal` and ' +
        '`sudo_user`, as far as they are known. Of a request by a key: `key_id`. Of a session ' +
        'nothing.',
    }),
    reason: Type.String({ description: 'Why, in their words; empty if they gave none.' }),
    hash: Type.String({ description: 'SHA-256 over the hash of the change before and this one.' }),
    before: Row,
    after: Row,
  },
  { title: 'AuditedChange', description: 'One change by a person. `null` stands for no row.' },
)

/** The numbers of changes may exceed the exact numbers of JSON. */
export function presentChange(change: AuditedChange) {
  return { ...change, change_id: String(change.change_id) }
}

const list = paging({
  name: 'audit list',
  path: '/v3/operator/audit',
  operationId: 'listAudit',
  summary: 'List what people have changed, newest first.',
  description: 'The log has the changes by commands and by this API, and is chained by hashes.',
  query: AuditQuery,
  response: ChangeResponse,
  async find(audit, { by = '', act = '', account_id = '', id = '', since, before }, limit) {
    const from = since === undefined ? null : instantFromIso(since)
    const wrong = 'since is an ISO 8601 time with an offset.'
    refuseIfAny([
      ...(from === undefined ? [invalidParameter('since', wrong)] : []),
      ...Object.entries({ by, act, id }).flatMap(([name, text]) =>
        text.includes('\0') ? [invalidParameter(name, `${name} must have no character NUL.`)] : [],
      ),
    ])
    const until = before === undefined ? null : BigInt(before)
    const filter = { by, act, account_id, id, since: from ?? null, before: until }
    return listAudit(audit, filter, limit + 1)
  },
  present: presentChange,
  command: {
    words: ({ rows }) =>
      rows.map(change => ({
        number: String(change.change_id),
        when: toSecond(change.changed_at),
        who: change.changed_by,
        act: change.act || change.via || 'a statement by hand',
        table: change.table_name,
        what: auditWords(change),
        why: change.reason,
        from: describeOrigin(change.origin),
      })),
    json: ({ rows }) => rows.map(presentChange),
    none: 'nothing that fits was done',
    limit: 50,
    options: {
      by: 'by this user alone',
      act: 'by this command alone, such as "payout transition"',
      account_id: 'to this account alone',
      id: 'to this object alone, such as a payout',
      since: 'from this time on, as 2026-11-23T08:00:00Z',
      before: 'before this number: the next page',
    },
    help: '\nExample:\n  corridor audit list --by ada --act payout',
  },
})

export const auditLog: ActionGroup = { actions: [list] }
