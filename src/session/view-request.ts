// The bodies and the query of saved views: a name, and a page with its filters.
import type { Static } from 'typebox'
import { invalidField, refuseIfAny } from '../errors.ts'
import { Closed, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { readLine } from '../text/visible.ts'

const MAX_VIEW_NAME = 60

/** The pattern of a list's path in the console. */
const PAGE = '/console/(acc_[0-9a-hjkmnp-tv-z]{8}|installation)/[a-z]{1,40}'

const Name = Text(MAX_VIEW_NAME, {
  minLength: 1,
  description: 'The name of the view, one line, such as Failed today.',
})

export const NewView = Closed(
  {
    name: Name,
    place: Type.String({
      pattern: `^${PAGE}([?][A-Za-z0-9_.*%=&+-]*)?$`,
      maxLength: 1000,
      description: 'The path of a list of the console, with its filters.',
      examples: ['/console/acc_7k2m9x4q/payouts?status=failed'],
    }),
  },
  { title: 'NewView' },
)
export type NewView = Static<typeof NewView>

export const RenamedView = Closed({ name: Name }, { title: 'RenamedView' })
export type RenamedView = Static<typeof RenamedView>

export const ViewQuery = Closed({
  page: Type.Optional(
    Type.String({ pattern: `^${PAGE}$`, description: 'Only the views of this page.' }),
  ),
})
export type ViewQuery = Static<typeof ViewQuery>

/** Refuses (400) a name that is not one line of visible text. */
export function checkView(body: unknown): void {
  const { name } = (body ?? {}) as { readonly name?: unknown }
  if (typeof name !== 'string') return
  const { messages = [] } = readLine('name', name, MAX_VIEW_NAME)
  refuseIfAny(messages.map(message => invalidField('name', `${message}.`)))
}
