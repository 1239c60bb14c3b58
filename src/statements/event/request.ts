// The query of the list of events.
import { ListQueryOf } from '../../http/list.ts'
import { Several } from '../../http/query.ts'
import { Type } from '../../http/type.ts'
import { idPattern } from '../../values/id.ts'
import { OBJECT_IDS } from './event.ts'

export const EventQuery = ListQueryOf('evt', {
  type: Several(
    Type.String({
      pattern: '^[a-z_]+\\.[a-z_]+$',
      maxLength: 64,
      description: 'Exactly this type of event.',
      examples: ['payout.failed'],
    }),
  ),
  object_id: Several(
    Type.String({
      pattern: OBJECT_IDS.map(idPattern).join('|'),
      description: 'The object that the events are about.',
    }),
  ),
})
