// Changes of the audit log as operators and auditors see them.
import type { AuditedChange } from '../audit/store.ts'
import { Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'

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
