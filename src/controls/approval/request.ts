// The bodies by which people approve or reject: the digest of the content they saw, and a reason.
import type { Static } from 'typebox'
import { Closed, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'

const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The `digest` of the approval, as it was shown to you.',
})

const MAX_REASON = 500

const Reason = Text(MAX_REASON, { minLength: 1, description: 'The reason; the timeline shows it.' })

export const ApproveRequest = Closed(
  { digest: Digest, reason: Type.Optional(Reason) },
  { title: 'ApproveRequest' },
)
export type ApproveRequest = Static<typeof ApproveRequest>

export const RejectRequest = Closed(
  { reason: Reason, digest: Type.Optional(Digest) },
  { title: 'RejectRequest' },
)
export type RejectRequest = Static<typeof RejectRequest>
