// A visit is one request of a person to the console. A screen is the answer to it.
import type { FastifyRequest } from 'fastify'
import type { Account } from '../accounts/rules.ts'
import { mayRunInstallation } from '../accounts/user/rules.ts'
import type { AccountRole, Person } from '../accounts/user/user.ts'
import type { OpenSession } from '../http/authenticate.ts'
import type { Html } from '../values/text/html.ts'
import type { Api, ApiError } from './api.ts'

export interface Visit {
  readonly request: FastifyRequest
  readonly person: Person
  readonly session: OpenSession | null
  /** Null for the pages of the installation. */
  readonly account: Account | null
  readonly api: Api
  /** Those on which the person has a role. */
  readonly accounts: readonly Account[]
  /** `/console/acc_…` or `/console/installation`. */
  readonly root: string
  /** The service's own, as `https://pay.example.com`. */
  readonly origin: string
  /** The time zone of its days: the reader's, as far as the browser has told it. */
  readonly zone: string
  /** The path of the page with its query. */
  readonly here: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Empty for a GET. */
  readonly form: URLSearchParams
  /** The API's refusal of the form; null without one. */
  readonly formError: ApiError | null
  /** As `Live.lastChangeOf` counts. The page listens for later changes. */
  readonly lastChange: bigint
}

export interface Screen {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** An id, a prefix such as `pot_`, or `*` for all. */
  readonly live?: string
}

/** Says which forms to show. The API judges again. */
export function may({ person, account }: Visit, role: AccountRole): boolean {
  if (account === null) return false
  return person.roles.get(account.account_id)?.includes(role) === true
}

/** Says which forms of the installation to show. The API judges again. */
export function mayOperate({ person }: Visit): boolean {
  return mayRunInstallation(person.role, 'write')
}

export function accountOf({ account }: Visit): Account {
  if (account === null) throw new Error('a page of an account without one')
  return account
}
