// Answers for the reader of openapi.json, made by the rules themselves.
import { presentRequirements, readSubject } from './discovery.ts'

export const requirementAnswers = {
  faster_payments: presentRequirements(
    readSubject({ type: 'local', currency: 'GBP', country: 'GB', network: 'faster_payments' }),
  ),
  swift: presentRequirements(readSubject({ type: 'swift', currency: 'EUR', country: 'DE' })),
}
