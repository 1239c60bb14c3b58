// The API's objects as the console reads them, from the schemas of the API's answers.
import type { Static, TSchema } from 'typebox'
import type { AccountResponse } from '../controls/account-summary/response.ts'
import type {
  ApprovalResponse,
  BeneficiaryApprovalResponse,
} from '../controls/approval/response.ts'
import type { ConversionQuoteResponse, ConversionResponse } from '../conversions/response.ts'
import type * as schemas from '../http/schema.ts'
import type * as accounts from '../operator/account-response.ts'
import type { RuleResponse } from '../operator/approval-rules.ts'
import type { ChangeResponse } from '../operator/audit.ts'
import type { ClockResponse } from '../operator/clock.ts'
import type * as entities from '../operator/entities.ts'
import type { ExceptionResponse } from '../operator/exceptions.ts'
import type { UnreadFileResponse } from '../operator/files.ts'
import type { FundingKeyResponse } from '../operator/funding-keys.ts'
import type { HouseJournalResponse } from '../operator/house.ts'
import type * as income from '../operator/income.ts'
import type * as keys from '../operator/keys.ts'
import type * as limits from '../operator/limits.ts'
import type { ListsResponse } from '../operator/lists.ts'
import type { BlockerResponse, CloseResponse } from '../operator/months.ts'
import type { ExceptionsResponse, NoteResponse } from '../operator/nostro-cases.ts'
import type { ReturnResponse } from '../operator/nostro-return.ts'
import type { RuleResponse as NostroRuleResponse } from '../operator/nostro-rules.ts'
import type * as nostro from '../operator/nostro-shown.ts'
import type { ImportedResponse, StatementResponse } from '../operator/nostro-statements.ts'
import type { SuggestionsResponse } from '../operator/nostro-suggest.ts'
import type {
  NostroInFull as InFull,
  NostroResponse,
  PositionResponse,
} from '../operator/nostros.ts'
import type { NotificationResponse } from '../operator/notification-routes.ts'
import type * as owner from '../operator/owner-routes.ts'
import type * as routes from '../operator/payout-routing.ts'
import type * as payouts from '../operator/payout-words.ts'
import type { RailFigures as Figures, RailResponse } from '../operator/rails.ts'
import type { DatedRate } from '../operator/rates.ts'
import type { ReportResponse } from '../operator/reports.ts'
import type { SafeguardingResponse, SignedDayResponse } from '../operator/safeguarding.ts'
import type * as screening from '../operator/screening.ts'
import type { OperatorSearch } from '../operator/searching.ts'
import type * as factor from '../operator/second-factor.ts'
import type { FileInFullResponse, FileResponse } from '../operator/shown-file.ts'
import type * as upkeep from '../operator/upkeep-routes.ts'
import type * as users from '../operator/user-response.ts'
import type { FailingResponse } from '../operator/webhooks.ts'
import type { BeneficiaryResponse } from '../parties/beneficiary/response.ts'
import type { EntityResponse } from '../parties/entity/response.ts'
import type { BatchItemResponse, BatchResponse } from '../payouts/batch/response.ts'
import type * as groups from '../payouts/group/response.ts'
import type { DryRunResponse, PayoutResponse, PayoutTotalsResponse } from '../payouts/response.ts'
import type { Option } from '../quotes/options/response.ts'
import type { RequirementsResponse } from '../quotes/requirement/response.ts'
import type { QuoteResponse } from '../quotes/response.ts'
import type { LoggedRequestResponse } from '../sandbox/request-log/request-log.ts'
import type {
  BalanceResponse,
  BalanceTransactionResponse,
} from '../statements/balance-transaction/response.ts'
import type * as treasury from '../treasury/routes.ts'
import type { DeliveryResponse, DeliverySummary, EndpointResponse } from '../webhooks/response.ts'
import type { Json, JsonObject } from './api.ts'

/** As api.ts reads it: numbers are text. */
export type Shown<Schema extends TSchema> = AsText<Static<Schema>>

type AsText<T> = unknown extends T
  ? Json
  : T extends number
    ? string
    : T extends object
      ? { readonly [Name in keyof T]: AsText<T[Name]> }
      : T

export type Money = Shown<typeof schemas.Money>
export type Balance = Shown<typeof BalanceResponse>
export type Payout = Shown<typeof PayoutResponse>
export type PayoutTotals = Shown<typeof PayoutTotalsResponse>
export type DryRun = Shown<typeof DryRunResponse>
export type Quote = Shown<typeof QuoteResponse>
export type ConversionQuote = Shown<typeof ConversionQuoteResponse>
export type Conversion = Shown<typeof ConversionResponse>
export type Approval = Shown<typeof ApprovalResponse>
export type BeneficiaryApproval = Shown<typeof BeneficiaryApprovalResponse>
export type WaitingTotal = Shown<typeof groups.Total>
export type WaitingGroup = Shown<typeof groups.GroupResponse>
/** Only an import has `further`. */
export type GroupApproval = Shown<typeof groups.BatchApprovalResponse> & {
  readonly further?: string
}
export type Transaction = Shown<typeof BalanceTransactionResponse> & {
  readonly expanded?: { readonly payout?: Payout | null }
}
export type Beneficiary = Shown<typeof BeneficiaryResponse>
export type Entity = Shown<typeof EntityResponse>
export type Endpoint = Shown<typeof EndpointResponse>
export type Batch = Shown<typeof BatchResponse>
export type BatchItem = Shown<typeof BatchItemResponse>
export type PayoutOption = Shown<typeof Option>
export type Requirements = Shown<typeof RequirementsResponse>
export type Requirement = Requirements['alternatives'][number]['fields'][number]
export type LoggedRequest = Shown<typeof LoggedRequestResponse>
export type DeliveryInFull = Shown<typeof DeliveryResponse>
export type Delivery = Shown<typeof DeliverySummary>

export interface Event extends JsonObject {
  readonly id: string
  readonly type: string
  readonly object_id: string
  readonly sequence: string
  readonly created_at: string
  readonly data: JsonObject
  readonly previous_attributes: JsonObject
}

type InAnyAccount = Shown<typeof OperatorSearch>
type FoundInAnyAccount = InAnyAccount['results'][number]
/** Only a search of all accounts names accounts. */
export type FoundRow = Omit<FoundInAnyAccount, 'account_id' | 'account_name'> &
  Partial<FoundInAnyAccount>
export type Search = Omit<InAnyAccount, 'accounts_left_out' | 'results'> & {
  readonly accounts_left_out?: string
  readonly results: readonly FoundRow[]
}

export type OperatorPayoutRow = Shown<typeof payouts.OperatorPayout>
export type OperatorPayoutInFull = Shown<typeof payouts.OperatorPayoutInFull>
export type OperatorEntity = Shown<typeof entities.OperatorEntity>
export type RailException = Shown<typeof ExceptionResponse>
export type HeldByScreening = Shown<typeof screening.HeldResponse>
export type Match = Shown<typeof screening.Match>
export type Screening = Shown<typeof screening.ScreeningResponse>
export type FailingEndpoint = Shown<typeof FailingResponse>
export type Rate = Shown<typeof DatedRate>
export type OperatorAccount = Shown<typeof accounts.OperatorAccount>
export type OperatorAccountInFull = Shown<typeof accounts.OperatorAccountInFull>
export type OperatorKey = Shown<typeof keys.OperatorKey>
export type MadeKey = Shown<typeof keys.MadeKeyResponse>
export type OperatorRail = Shown<typeof RailResponse>
export type RouteRow = Shown<typeof routes.RouteRow>
export type ApprovalRule = Shown<typeof RuleResponse>
export type PayoutLimit = Shown<typeof limits.LimitResponse>
export type UsedLimit = Shown<typeof limits.UsedLimitResponse>
export type OwnAccount = Shown<typeof AccountResponse>
export type AuditedChange = Shown<typeof ChangeResponse>
export type Lists = Shown<typeof ListsResponse>
export type Member = Shown<typeof owner.MemberResponse>
export type Invitation = Shown<typeof owner.InvitationResponse>
export type MadeInvitation = Shown<typeof owner.MadeInvitation>
export type OperatorUser = Shown<typeof users.OperatorUser>
export type NotificationState = Shown<typeof NotificationResponse>
export type FactorRule = Shown<typeof factor.Rule>
export type UpkeepRun = Shown<typeof upkeep.UpkeepRun>
export type OperatorFile = Shown<typeof FileResponse>
export type UnreadFile = Shown<typeof UnreadFileResponse>
export type DatabaseClock = Shown<typeof ClockResponse>
export type NostroPosition = Shown<typeof PositionResponse>
export type NostroSettings = Shown<typeof NostroResponse>
export type NostroInFull = Shown<typeof InFull>
export type NostroRule = Shown<typeof NostroRuleResponse>
export type LineToReturn = Shown<typeof ReturnResponse>
export type BankStatement = Shown<typeof StatementResponse>
export type ImportedStatements = Shown<typeof ImportedResponse>
export type BankLine = Shown<typeof nostro.LineResponse>
export type NostroItem = Shown<typeof nostro.ItemResponse>
export type NostroMatch = Shown<typeof nostro.MatchResponse>
export type MatchCandidate = Shown<typeof nostro.CandidateResponse>
export type CaseNote = Shown<typeof NoteResponse>
export type MatchSuggestions = Shown<typeof SuggestionsResponse>
export type TreasuryExceptions = Shown<typeof ExceptionsResponse>
export type Safeguarding = Shown<typeof SafeguardingResponse>
export type SignedDay = Shown<typeof SignedDayResponse>
export type FundingKey = Shown<typeof FundingKeyResponse>
export type FundingInstructions = Shown<typeof treasury.FundingInstructions>
export type HouseJournal = Shown<typeof HouseJournalResponse>
export type ClosedMonth = Shown<typeof CloseResponse>
export type MonthBlocker = Shown<typeof BlockerResponse>
export type BooksReport = Shown<typeof ReportResponse>
export type OperatorFileInFull = Shown<typeof FileInFullResponse>
export type RailFigures = Shown<typeof Figures>
export type RailFigure = RailFigures['results'][number]
export type Income = Shown<typeof income.IncomeResponse>
export type MonthIncome = Shown<typeof income.MonthResponse>
export type AccountIncome = Shown<typeof income.AccountIncome>
