// GET /v3/operator/notification: how far people were notified, and which way fails.
import { Closed, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { KINDS, WAYS } from '../notifications/notification.ts'
import { listWays } from '../notifications/store.ts'
import { listAnswer, type OperatorRoutes, WholeList } from './action-routes.ts'

export const NotificationResponse = Closed(
  {
    kind: Literals(KINDS),
    way: Literals(WAYS),
    told_until: Timestamp,
    failures: Type.Integer({ description: 'How many messages in a row were not taken.' }),
    failing_since: textOrNull({ format: 'date-time' }),
    last_error: Type.String({ description: 'Why the last one was not taken; empty if it was.' }),
  },
  { title: 'NotificationState' },
)

export function notificationRoutes(routes: OperatorRoutes): void {
  routes.list('/v3/operator/notification', {
    operationId: 'listNotifications',
    summary: 'Show up to when people were notified, by kind and way.',
    description: 'Only ways that a process has used in the last two hours, as its settings say.',
    response: WholeList(NotificationResponse, {
      title: 'NotificationStates',
      description: 'By kind and way; empty when no way is set.',
    }),
    answer: async (_, { audit }) => listAnswer(await listWays(audit)),
  })
}
