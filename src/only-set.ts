// Documents as they are stored: without the members that say nothing, which are the same in nearly
// all of them. Read again, they have all members in their order, as they were made.

/** All members, in order, as they are when they are not set; null of those that always are. */
export type NotSet<Document> = { readonly [Name in keyof Document]: Document[Name] | null }

/** The members that are set, in the order of the document. */
export function onlySet<Document extends object>(
  document: Document,
  not_set: NotSet<Document>,
): Partial<Document> {
  const members: Partial<Document> = {}
  for (const name in document) {
    if (!isAlike(document[name], not_set[name])) members[name] = document[name]
  }
  return members
}

/** The document of these members, the same to the byte. */
export function completed<Document extends object>(
  members: Partial<Document>,
  not_set: NotSet<Document>,
): Document {
  return { ...not_set, ...members } as Document
}

/** What is not set is a value, or an array or an object of nothing. */
function isAlike(value: unknown, not_set: unknown): boolean {
  if (value === not_set) return true
  return isEmpty(value) && isEmpty(not_set) && Array.isArray(value) === Array.isArray(not_set)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
