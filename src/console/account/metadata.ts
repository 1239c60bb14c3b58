// Metadata in a form: a field for each name, and two for a new name.
import type { JsonObject } from '../api.ts'
import { type Field, fieldText } from '../form.ts'
import type { Visit } from '../visit.ts'

const PREFIX = 'metadata:'
const NEW_NAME = 'metadata-name'
const NEW_TEXT = 'metadata-text'

/** That of an object; null for none. */
export function metadataOf({ metadata }: JsonObject): JsonObject | null {
  return typeof metadata === 'object' && !Array.isArray(metadata) ? (metadata as JsonObject) : null
}

export function metadataFields(metadata: JsonObject | null): Field[] {
  const present = Object.entries(metadata ?? {}).map(([name, text]) => {
    return { name: PREFIX + name, label: name, value: String(text) }
  })
  return [
    ...present,
    { name: NEW_NAME, label: 'New name', hint: 'To remove a name, leave its text empty.' },
    { name: NEW_TEXT, label: 'Text of the new name', member: 'metadata' },
  ]
}

/** The pairs that the form has; '' for a name that is removed. */
export function sentMetadata(visit: Visit): Record<string, string> {
  const sent = [...visit.form].flatMap(([name, text]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), text] as const] : [],
  )
  const name = fieldText(visit, NEW_NAME)
  const added = name === '' ? [] : [[name, fieldText(visit, NEW_TEXT)] as const]
  return Object.fromEntries([...sent, ...added])
}

/** The metadata after the form. A name that it does not show stays. */
export function changedMetadata(visit: Visit, stored: JsonObject | null): Record<string, unknown> {
  const pairs = Object.entries({ ...stored, ...sentMetadata(visit) })
  return Object.fromEntries(pairs.filter(([, text]) => text !== ''))
}
