// The tax numbers of countries that publish their check digits. Pure.
import { isCnpj, isCpf, isRut } from '../../values/network/check-digit.ts'

const FORMS: ReadonlyMap<string, readonly [title: string, isOne: (bare: string) => boolean]> =
  new Map([
    [
      'BR',
      [
        'A tax number of Brazil is a CPF or a CNPJ',
        bare =>
          (/^[0-9]{11}$/.test(bare) && isCpf(bare)) ||
          (/^[0-9A-Z]{12}[0-9]{2}$/.test(bare) && isCnpj(bare)),
      ],
    ],
    [
      'CL',
      ['A tax number of Chile is a RUT', bare => /^[0-9]{1,8}[0-9K]$/.test(bare) && isRut(bare)],
    ],
  ])

/**
 * The message that a tax number is none of its country; undefined where no form is published. Dots,
 * strokes and dashes that people write count for nothing.
 */
export function taxNumberFault(country: string, tax_id: string): string | undefined {
  const [title, isOne] = FORMS.get(country) ?? []
  if (isOne === undefined || isOne(tax_id.replace(/[\s./-]/g, '').toUpperCase())) return undefined
  return `${title}; the check digits of this value do not hold.`
}
