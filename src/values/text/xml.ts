// Writes text into XML 1.0: characters that it allows, on one line, and escaped. Pure.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** The text in one line, without characters that XML 1.0 does not allow. */
export function cleanXml(value: string): string {
  return value
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim()
}

export function escapeXml(value: string): string {
  return value.replace(/[&<>"]/g, character => ENTITIES[character] ?? '')
}

/** An element around text; '' without text, because ISO's schemas allow no empty elements. */
export function textElement(tag: string, value: string): string {
  return value === '' ? '' : `<${tag}>${escapeXml(value)}</${tag}>`
}
