// Reads and writes JSON whose numbers keep the digits that were sent, so that no amount becomes a
// float. Pure.

/** A proposal of TC39 that TypeScript has no type for. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** `numberOf` makes each number's value from its source text. Throws on text that is no JSON. */
export function reviveNumbers(text: string, numberOf: (source: string) => unknown): unknown {
  const revive = (_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? numberOf(source ?? '') : value
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])
}

/** JSON over several lines. Throws on text that is no JSON. */
export function indented(text: string): string {
  return JSON.stringify(
    reviveNumbers(text, source => rawJSON(source)),
    null,
    2,
  )
}

/** A bigint is a number, digit by digit. */
export function bodyText(body: object): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value,
  )
}
