// One request of a person to the console: who asks, for which account, and by what form. A screen
// is the answer.
import type { FastifyRequest } from 'fastify'
import type { Account } from '../account/rules.ts'
import type { OpenSession } from '../http/authenticate.ts'
import type { Html } from '../text/html.ts'
import type { AccountRole, Person } from '../user/user.ts'
import type { Api, ApiError } from './api.ts'

export interface Visit {
  readonly request: FastifyRequest
  readonly person: Person
  readonly session: OpenSession | null
  /** Null for the pages of the installation. */
  readonly account: Account | null
  readonly api: Api
  /** The accounts that the person works for. */
  readonly accounts: readonly Account[]
  /** The path above the pages: `/console/acc_…` for an account, or that of the installation. */
  readonly root: string
  /** The path with its query. */
  readonly here: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The form that was sent; empty when the page is only looked at. */
  readonly form: URLSearchParams
  /** Why the form was refused; null when it was not. */
  readonly trouble: ApiError | null
  /**
   * The number of the account's last event before the page was read; for the installation, how many
   * events there were. Later events are news.
   */
  readonly seen: bigint
}

export interface Screen {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** The objects whose events change the page: an id, or a prefix such as `pot_`. */
  readonly live?: string
}

/** Whether the person may do this for the account. The API judges it again. */
export function may({ person, account }: Visit, role: AccountRole): boolean {
  if (account === null) return false
  return person.roles.get(account.account_id)?.includes(role) === true
}

export function accountOf({ account }: Visit): Account {
  if (account === null) throw new Error('a page of an account without one')
  return account
}
