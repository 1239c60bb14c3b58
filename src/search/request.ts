// The query of a search.
import { checkTexts } from '../http/list.ts'
import { Closed } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { refuseIfAny } from '../values/errors.ts'

/** The text of a search; no member of an object is longer than what it is found by. */
export const SearchText = Type.String({
  pattern: '\\S',
  maxLength: 200,
  description:
    'An id, a UETR, your own reference, the bank’s reference, an IBAN or account number or its ' +
    'last four or more digits, an e-mail address, an amount such as `1,250.50` or `1250.5 EUR`, ' +
    'or words of a name.',
  examples: ['Anna Schmidt'],
})

export const SearchQuery = Closed({ q: SearchText })

/** Refuses (400) a text that PostgreSQL cannot compare. */
export function checkSearch({ q }: { readonly q?: unknown }): void {
  if (typeof q === 'string') refuseIfAny(checkTexts('q', [q]))
}
