// Registers /console: pages for people, made from the API's answers.
import type { FastifyInstance } from 'fastify'
import { serveAssets } from '../http/assets.ts'
import { zoneOf } from '../http/browser.ts'
import {
  type Needs as ConfirmationNeeds,
  sendConfirmation,
} from '../payouts/confirmation/routes.ts'
import type { Needs as StatementNeeds } from '../statements/balance-transaction/statement/http.ts'
import { sendStatement } from '../statements/balance-transaction/statement/routes.ts'
import { refusal } from '../values/errors.ts'
import { approvalScreens } from './account/approvals.ts'
import { batchScreens } from './account/batches.ts'
import { beneficiaryScreens } from './account/beneficiaries.ts'
import { conversionScreens } from './account/conversions.ts'
import { entityScreens } from './account/entities.ts'
import { entityFormScreens } from './account/entity-form.ts'
import { fundingScreens } from './account/funding.ts'
import { homeScreens } from './account/home.ts'
import { keyScreens } from './account/keys.ts'
import { newBatchScreens } from './account/new-batch.ts'
import { payScreens } from './account/pay.ts'
import { payeeFormScreens } from './account/payee-form.ts'
import { payoutScreens } from './account/payouts.ts'
import { peopleScreens } from './account/people.ts'
import { reportScreens } from './account/reports.ts'
import { inDays } from './account/statement-files.ts'
import { transactionScreens } from './account/transactions.ts'
import { eventScreens } from './developer/events.ts'
import { requestScreens } from './developer/requests.ts'
import { sandboxScreens } from './developer/sandbox.ts'
import { webhookScreens } from './developer/webhooks.ts'
import { findScreens } from './find.ts'
import { Live, type LiveNeeds } from './live.ts'
import { accountScreens } from './operator/accounts.ts'
import { ruleScreens } from './operator/approval-rules.ts'
import { attentionScreens } from './operator/attention.ts'
import { auditScreens } from './operator/audit.ts'
import { booksReportScreens } from './operator/books-reports.ts'
import { clientMoneyScreens } from './operator/client-money.ts'
import { clockScreens } from './operator/clock.ts'
import { deliveryScreens } from './operator/deliveries.ts'
import { exceptionScreens } from './operator/exceptions.ts'
import { fileScreens } from './operator/files.ts'
import { houseScreens } from './operator/house-journals.ts'
import { incomeScreens } from './operator/income.ts'
import { monthScreens } from './operator/months.ts'
import { readingScreens } from './operator/nostro-reading.ts'
import { nostroScreens } from './operator/nostros.ts'
import { operatorPayoutScreens } from './operator/payouts.ts'
import { priceScreens } from './operator/prices.ts'
import { railScreens } from './operator/rails.ts'
import { reviewScreens } from './operator/reviews.ts'
import { screeningScreens } from './operator/screening.ts'
import { statementScreens } from './operator/statements.ts'
import { treasuryScreens } from './operator/treasury.ts'
import { userScreens } from './operator/users.ts'
import { type Needs, Screens } from './screens.ts'

const STYLE = new URL('client/console.css', import.meta.url)
const SCRIPTS = ['console', 'sheet'].map(name => new URL(`client/${name}.ts`, import.meta.url))

export function consolePages(
  pages: FastifyInstance,
  deps: Needs & LiveNeeds & StatementNeeds & ConfirmationNeeds,
  lifecycle: { readonly draining: boolean },
): void {
  const live = new Live(deps, lifecycle)
  const assets = serveAssets(pages, '/console/assets', [STYLE, ...SCRIPTS])
  const screens = new Screens(pages, deps, assets, id => live.lastChangeOf(id))
  for (const area of ['account', 'installation'] as const) {
    screens.stream(area, '/live', (request, reply, account) =>
      live.open(request, reply, account?.account_id ?? null),
    )
  }
  screens.stream('account', '/statement', (request, reply, account) => {
    if (account === null) throw refusal('not_found', 'No such path.')
    const query = request.query as Readonly<Record<string, unknown>>
    return sendStatement(deps, reply, inDays(query, zoneOf(request)), account)
  })
  screens.stream('account', '/payouts/:id/confirmation', (request, reply, account) => {
    if (account === null) throw refusal('not_found', 'No such path.')
    const { id = '' } = request.params as Readonly<Record<string, string>>
    return sendConfirmation(deps, reply, { account, id, zone: zoneOf(request) })
  })
  accountPages(screens)
  operatorPages(screens)
}

function accountPages(screens: Screens): void {
  homeScreens(screens)
  fundingScreens(screens)
  findScreens(screens)
  payoutScreens(screens)
  payScreens(screens)
  batchScreens(screens)
  newBatchScreens(screens)
  approvalScreens(screens)
  beneficiaryScreens(screens)
  payeeFormScreens(screens)
  entityScreens(screens)
  entityFormScreens(screens)
  transactionScreens(screens)
  conversionScreens(screens)
  reportScreens(screens)
  peopleScreens(screens)
  keyScreens(screens)
  eventScreens(screens)
  webhookScreens(screens)
  requestScreens(screens)
  sandboxScreens(screens)
}

function operatorPages(screens: Screens): void {
  attentionScreens(screens)
  operatorPayoutScreens(screens)
  reviewScreens(screens)
  screeningScreens(screens)
  exceptionScreens(screens)
  fileScreens(screens)
  accountScreens(screens)
  incomeScreens(screens)
  priceScreens(screens)
  railScreens(screens)
  ruleScreens(screens)
  nostroScreens(screens)
  treasuryScreens(screens)
  readingScreens(screens)
  statementScreens(screens)
  clientMoneyScreens(screens)
  houseScreens(screens)
  monthScreens(screens)
  booksReportScreens(screens)
  deliveryScreens(screens)
  userScreens(screens)
  auditScreens(screens)
  clockScreens(screens)
}
