// The types of the operator API's objects that the console reads, from the schemas of its answers.
import type * as accounts from '../../operator/account-response.ts'
import type { ChangeResponse } from '../../operator/audit.ts'
import type { ClockResponse } from '../../operator/clock.ts'
import type * as entities from '../../operator/entities.ts'
import type { ExceptionResponse } from '../../operator/exceptions.ts'
import type { UnreadFileResponse } from '../../operator/files.ts'
import type * as income from '../../operator/income-routes.ts'
import type * as keys from '../../operator/keys.ts'
import type { ListsResponse } from '../../operator/lists.ts'
import type * as routes from '../../operator/payout-routing.ts'
import type { RailFigures as Figures } from '../../operator/rail-figures.ts'
import type { RailResponse } from '../../operator/rails.ts'
import type { DatedRate } from '../../operator/rates.ts'
import type * as screening from '../../operator/screening.ts'
import type { FileInFullResponse, FileResponse } from '../../operator/shown-file.ts'
import type * as payouts from '../../operator/shown-payout.ts'
import type * as upkeep from '../../operator/upkeep-routes.ts'
import type * as users from '../../operator/user-response.ts'
import type { FailingResponse } from '../../operator/webhooks.ts'
import type { Shown } from '../objects.ts'

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
export type AuditedChange = Shown<typeof ChangeResponse>
export type Lists = Shown<typeof ListsResponse>
export type OperatorUser = Shown<typeof users.OperatorUser>
export type UpkeepRun = Shown<typeof upkeep.UpkeepRun>
export type OperatorFile = Shown<typeof FileResponse>
export type UnreadFile = Shown<typeof UnreadFileResponse>
export type DatabaseClock = Shown<typeof ClockResponse>
export type OperatorFileInFull = Shown<typeof FileInFullResponse>
export type RailFigures = Shown<typeof Figures>
export type RailFigure = RailFigures['results'][number]
export type Income = Shown<typeof income.IncomeResponse>
export type AccountIncome = Shown<typeof income.IncomeList>
export type AllIncome = Shown<typeof income.AllIncomeResponse>
