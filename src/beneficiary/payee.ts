// Who is paid, so that rules of new payees know whom somebody has approved: another name, account
// or bank is another payee. Pure.
import { hashJson } from '../seal.ts'
import { canonicalDestination } from './destination.ts'
import type { BeneficiaryRequest } from './request.ts'

type Paid = Pick<BeneficiaryRequest, 'name' | 'destination_details'>

/** 64 hex digits. */
export function approvedAs({ name, destination_details }: Paid): string {
  return hashJson({ name: name.trim(), destination: canonicalDestination(destination_details) })
}
