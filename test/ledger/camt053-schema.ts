// An oracle of camt.053.001.08: the message definition's sequences, cardinalities, types and code lists,
// for every element a statement of ours uses, walked over the parsed XML. An element that is not
// here, or is out of order, is a fault. Shares no code with what writes statements.
import assert from 'node:assert/strict'
import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** A text, what it must match, and how many characters it may have. */
type Simple = (text: string) => string | undefined

interface Element {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly type: Type
}

type Type =
  | { readonly simple: Simple; readonly ccy?: boolean }
  | { readonly sequence: readonly Element[] }
  | { readonly choice: readonly Element[] }

const MANY = Number.POSITIVE_INFINITY

const length =
  (max: number): Simple =>
  text =>
    [...text].length >= 1 && [...text].length <= max ? undefined : `1 to ${max} characters`

const pattern =
  (regex: RegExp, what: string): Simple =>
  text =>
    regex.test(text) ? undefined : what

/** xs:decimal with fractionDigits and totalDigits, zeros at either end not counted. */
const decimal =
  (fraction: number, total: number, minimum?: number): Simple =>
  text => {
    const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text)
    if (match === null) return 'a decimal'
    const [, sign, whole = '', part = ''] = match
    const significant = part.replace(/0+$/, '')
    if (significant.length > fraction) return `${fraction} fraction digits`
    const digits = whole.replace(/^0+/, '') + significant
    if (digits.length > total) return `${total} digits`
    return minimum === 0 && sign === '-' && /[1-9]/.test(text) ? 'zero or more' : undefined
  }

const oneOf = (...codes: readonly string[]): Simple =>
  pattern(new RegExp(`^(${codes.join('|')})$`), codes.join(' or '))

const isDate: Simple = text =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toISOString().startsWith(text)
    ? undefined
    : 'a date'
const isTime: Simple = text =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.test(text) &&
  isDate(text.slice(0, 10)) === undefined
    ? undefined
    : 'a time'

const text = (max: number): Type => ({ simple: length(max) })
const code = (simple: Simple): Type => ({ simple })
const seq = (...sequence: readonly Element[]): Type => ({ sequence })
const choice = (...options: readonly Element[]): Type => ({ choice: options })
const one = (name: string, type: Type): Element => ({ name, min: 1, max: 1, type })
const maybe = (name: string, type: Type): Element => ({ name, min: 0, max: 1, type })
const some = (name: string, type: Type, min = 0): Element => ({ name, min, max: MANY, type })

const CurrencyCode = pattern(/^[A-Z]{3}$/, 'three letters')
/** ActiveOrHistoricCurrencyAndAmount, with its Ccy. */
const Amount: Type = { simple: decimal(5, 18, 0), ccy: true }
const CreditDebit = code(oneOf('CRDT', 'DBIT'))
const True = code(oneOf('true', 'false', '1', '0'))
const DateOrTime = choice(one('Dt', code(isDate)), one('DtTm', code(isTime)))
/** External codes: one to four characters, and those this statement may use. */
const external = (...codes: readonly string[]) => code(oneOf(...codes))

const Exchange = seq(
  one('SrcCcy', code(CurrencyCode)),
  maybe('TrgtCcy', code(CurrencyCode)),
  maybe('UnitCcy', code(CurrencyCode)),
  one('XchgRate', code(decimal(10, 11))),
  maybe('CtrctId', text(35)),
  maybe('QtnDt', code(isTime)),
)
const AmountAndExchange = seq(one('Amt', Amount), maybe('CcyXchg', Exchange))

const BankTransactionCode = seq(
  maybe(
    'Domn',
    seq(
      one('Cd', external('PMNT', 'FORX')),
      one(
        'Fmly',
        seq(
          one('Cd', external('RCDT', 'ICDT', 'SPOT')),
          one('SubFmlyCd', external('OTHR', 'BOOK', 'RRTN')),
        ),
      ),
    ),
  ),
  maybe('Prtry', seq(one('Cd', text(35)), maybe('Issr', text(35)))),
)

const Charges = seq(
  maybe('TtlChrgsAndTaxAmt', Amount),
  some(
    'Rcrd',
    seq(
      one('Amt', Amount),
      maybe('CdtDbtInd', CreditDebit),
      maybe('ChrgInclInd', True),
      maybe('Tp', choice(one('Prtry', seq(one('Id', text(35)), maybe('Issr', text(35)))))),
    ),
  ),
)

const Iban = code(pattern(/^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$/, 'an IBAN'))
const Bic = code(pattern(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'a BIC'))
/** TransactionParties6: of a party its name, of an account its id. */
const RelatedParties = seq(
  maybe('Cdtr', choice(one('Pty', seq(maybe('Nm', text(140)))))),
  maybe(
    'CdtrAcct',
    seq(one('Id', choice(one('IBAN', Iban), one('Othr', seq(one('Id', text(34))))))),
  ),
)

const Transaction = seq(
  maybe(
    'Refs',
    seq(
      maybe('MsgId', text(35)),
      maybe('AcctSvcrRef', text(35)),
      maybe('PmtInfId', text(35)),
      maybe('InstrId', text(35)),
      maybe('EndToEndId', text(35)),
      maybe(
        'UETR',
        code(
          pattern(
            /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/,
            'a UUID',
          ),
        ),
      ),
      maybe('TxId', text(35)),
    ),
  ),
  maybe('Amt', Amount),
  maybe('CdtDbtInd', CreditDebit),
  maybe(
    'AmtDtls',
    seq(
      maybe('InstdAmt', AmountAndExchange),
      maybe('TxAmt', AmountAndExchange),
      maybe('CntrValAmt', AmountAndExchange),
    ),
  ),
  maybe('BkTxCd', BankTransactionCode),
  maybe('Chrgs', Charges),
  maybe('RltdPties', RelatedParties),
  maybe('RltdAgts', seq(maybe('CdtrAgt', seq(one('FinInstnId', seq(maybe('BICFI', Bic))))))),
  maybe('Purp', choice(one('Cd', text(4)), one('Prtry', text(35)))),
  maybe(
    'RmtInf',
    seq(
      some('Ustrd', text(140)),
      some('Strd', seq(maybe('CdtrRefInf', seq(maybe('Ref', text(35)))))),
    ),
  ),
  maybe('AddtlTxInf', text(500)),
)

const Entry = seq(
  maybe('NtryRef', text(35)),
  one('Amt', Amount),
  one('CdtDbtInd', CreditDebit),
  maybe('RvslInd', True),
  one('Sts', choice(one('Cd', external('BOOK', 'PDNG', 'INFO', 'FUTR')))),
  maybe('BookgDt', DateOrTime),
  maybe('ValDt', DateOrTime),
  maybe('AcctSvcrRef', text(35)),
  one('BkTxCd', BankTransactionCode),
  maybe('AmtDtls', seq()),
  maybe('Chrgs', Charges),
  some('NtryDtls', seq(some('TxDtls', Transaction))),
  maybe('AddtlNtryInf', text(500)),
)

const Balance = seq(
  one('Tp', seq(one('CdOrPrtry', choice(one('Cd', external('OPBD', 'CLBD', 'ITBD')))))),
  one('Amt', Amount),
  one('CdtDbtInd', CreditDebit),
  one('Dt', DateOrTime),
)

const Counted: readonly Element[] = [
  maybe('NbOfNtries', code(pattern(/^\d{1,15}$/, '1 to 15 digits'))),
  maybe('Sum', code(decimal(17, 18))),
]
const Net = seq(one('Amt', code(decimal(17, 18, 0))), one('CdtDbtInd', CreditDebit))

const Stmt = seq(
  one('Id', text(35)),
  maybe('ElctrncSeqNb', code(decimal(0, 18))),
  maybe('CreDtTm', code(isTime)),
  maybe('FrToDt', seq(one('FrDtTm', code(isTime)), one('ToDtTm', code(isTime)))),
  one(
    'Acct',
    seq(
      one('Id', choice(one('Othr', seq(one('Id', text(34)))))),
      maybe('Ccy', code(CurrencyCode)),
      maybe('Nm', text(70)),
    ),
  ),
  some('Bal', Balance, 1),
  maybe(
    'TxsSummry',
    seq(
      maybe('TtlNtries', seq(...Counted, maybe('TtlNetNtry', Net))),
      maybe('TtlCdtNtries', seq(...Counted)),
      maybe('TtlDbtNtries', seq(...Counted)),
    ),
  ),
  some('Ntry', Entry),
  maybe('AddtlStmtInf', text(500)),
)

const Document = seq(
  one(
    'BkToCstmrStmt',
    seq(
      one('GrpHdr', seq(one('MsgId', text(35)), one('CreDtTm', code(isTime)))),
      some('Stmt', Stmt, 1),
    ),
  ),
)

/** An element as it was parsed, in order. */
export interface Node {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Node[]
  readonly text: string
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
})

/** The document's root; fails when it is not well-formed, or holds what XML 1.0 cannot. */
export function readXml(xml: string): Node {
  assert.equal(XMLValidator.validate(xml), true)
  assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
  const nodes = (parser.parse(xml) as Raw[]).map(nodeOf)
  const root = nodes.find(({ name }) => name === 'Document')
  assert.ok(root)
  return root
}

type Raw = Readonly<Record<string, unknown>>

function nodeOf(raw: Raw): Node {
  const name = Object.keys(raw).find(key => key !== ':@') ?? ''
  const inner = name === '#text' ? [] : (raw[name] as Raw[])
  const texts = inner.map(child => String(child['#text'] ?? ''))
  return {
    name,
    attributes: (raw[':@'] ?? {}) as Record<string, string>,
    children: inner.filter(child => !('#text' in child)).map(nodeOf),
    text: texts.join(''),
  }
}

/** Every fault of a document against the message definition, each with its place. */
export function faultsOf(root: Node): string[] {
  const faults: string[] = []
  if (root.attributes.xmlns !== 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08') {
    faults.push('Document: its namespace')
  }
  walk(root, Document, 'Document', faults)
  return faults
}

function walk(node: Node, type: Type, place: string, faults: string[]): void {
  if ('simple' in type) {
    const problem = type.simple(node.text)
    if (problem !== undefined) faults.push(`${place}: "${node.text}" is not ${problem}`)
    if (node.children.length > 0) faults.push(`${place}: elements in a text`)
    const { Ccy, ...others } = node.attributes
    const wrong = type.ccy === true ? CurrencyCode(Ccy ?? '') : Ccy
    if (wrong !== undefined || Object.keys(others).length > 0) faults.push(`${place}: attributes`)
    return
  }
  if (node.text.trim() !== '') faults.push(`${place}: text among elements`)
  if (place !== 'Document' && Object.keys(node.attributes).length > 0) {
    faults.push(`${place}: attributes`)
  }
  const expected = 'choice' in type ? type.choice : type.sequence
  if ('choice' in type && node.children.length !== 1) faults.push(`${place}: one of a choice`)
  let at = 0
  for (const child of node.children) {
    const index = expected.findIndex(({ name }) => name === child.name)
    const element = expected[index]
    if (element === undefined) faults.push(`${place}: ${child.name} is not known`)
    else if (index < at) faults.push(`${place}: ${child.name} is out of order`)
    else walk(child, element.type, `${place}/${child.name}`, faults)
    at = Math.max(at, index)
  }
  if ('choice' in type) return
  for (const { name, min, max } of expected) {
    const count = node.children.filter(child => child.name === name).length
    if (count < min || count > max) faults.push(`${place}: ${count} ${name}`)
  }
}

/** The descendants of a path such as `Acct/Id/Othr/Id`. */
export function select(node: Node, path: string): Node[] {
  return path
    .split('/')
    .reduce<Node[]>(
      (nodes, name) => nodes.flatMap(one => one.children.filter(child => child.name === name)),
      [node],
    )
}

/** The text of the only one; '' when there is none. */
export function textOf(node: Node, path: string): string {
  const found = select(node, path)
  assert.ok(found.length <= 1, path)
  return found[0]?.text ?? ''
}
