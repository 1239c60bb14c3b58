// Removes a document's unset members, which are most of them, before it is stored. Restores them
// after it is read, in the document's order.

/** The unset value of each member, in order; null for members that are always set. */
export type NotSet<Document> = { readonly [Name in keyof Document]: Document[Name] | null }

export function onlySet<Document extends object>(
  document: Document,
  not_set: NotSet<Document>,
): Partial<Document> {
  const members: Partial<Document> = {}
  for (const name in document) {
    if (!isUnset(document[name], not_set[name])) members[name] = document[name]
  }
  return members
}

/** Puts the defaults back: the complete document, byte for byte. */
export function completed<Document extends object>(
  members: Partial<Document>,
  not_set: NotSet<Document>,
): Document {
  return { ...not_set, ...members } as Document
}

/** Whether a member has its unset value: a primitive, or an empty array or object. */
function isUnset(value: unknown, not_set: unknown): boolean {
  if (value === not_set) return true
  return isEmpty(value) && isEmpty(not_set) && Array.isArray(value) === Array.isArray(not_set)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
