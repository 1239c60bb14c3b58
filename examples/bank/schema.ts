// Judges a pain.001 by the schema of ISO 20022 for its version. The schemas are ISO's own texts, which
// Corridor has beside its code.
import { readFileSync } from 'node:fs'
import { ParseOption, XmlDocument, XmlLibError, XsdValidator } from 'libxml2-wasm'

const SCHEMAS = new URL('../../src/adapters/iso20022/schemas/', import.meta.url)
const VERSIONS = ['pain.001.001.03', 'pain.001.001.09']

const validators = new Map<string, XsdValidator>()

function validatorOf(version: string): XsdValidator {
  const known = validators.get(version)
  if (known !== undefined) return known
  using schema = XmlDocument.fromBuffer(readFileSync(new URL(`${version}.xsd`, SCHEMAS)))
  const validator = XsdValidator.fromDoc(schema)
  validators.set(version, validator)
  return validator
}

/** What is wrong with the file, [] for nothing. */
export async function validate(bytes: Uint8Array): Promise<readonly string[]> {
  const option = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET
  try {
    using document = XmlDocument.fromBuffer(bytes, { option })
    const version = document.root.namespaceUri.split(':').at(-1) ?? ''
    if (!VERSIONS.includes(version)) return [`no schema for ${document.root.namespaceUri}`]
    validatorOf(version).validate(document)
    return []
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error
    return error.details.map(({ line, message }) => `line ${line}: ${message.trim()}`)
  }
}
