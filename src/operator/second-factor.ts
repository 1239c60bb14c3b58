// Who must log in with a second factor: every user of the installation, or those with a role on an
// account. A user without one is led to enrol it. A factor whose device is lost is reset.
import {
  deleteFactor,
  deleteFactorRule,
  type FactorRule,
  insertFactorRule,
  listFactorRules,
} from '../accounts/user/factor-store.ts'
import { endSessions } from '../accounts/user/session-store.ts'
import { Closed, optional, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { toSecond } from '../values/text/age.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId } from './request.ts'
import { UserPath, UserResponse, userNamed } from './user-response.ts'

const INSTALLATION = 'installation'

const ScopeRequest = Closed(optional({ account_id: AccountId }), {
  title: 'SecondFactorScope',
  description: 'An account; without one, the installation.',
})

export const Rule = Closed(
  {
    account_id: Type.Union([AccountId, Type.Null()], {
      description: 'The account whose people must have a second factor; null for every user.',
    }),
    required_at: Timestamp,
  },
  { title: 'SecondFactorRule' },
)

const rules = reading({
  name: 'second-factor list',
  path: '/v3/operator/second_factor',
  operationId: 'listSecondFactorRules',
  summary: 'List who must log in with a second factor.',
  response: Rule,
  list: { title: 'SecondFactorRuleList', description: 'The installation first, then accounts.' },
  find: async audit => (await listFactorRules(audit)).map(presentRule),
  command: {
    words: found => found.map(columnsOf),
    none: 'nobody must; corridor second-factor require says who must',
    help: '\nExample:\n  corridor second-factor list',
  },
})

const REQUIRE_HELP = `
A user without a second factor is led to enrol one at the next page, in sessions
that are open too, and can do nothing else before. Keys of users are for
programs, and give no code.

Examples:
  corridor second-factor require
  corridor second-factor require --account acc_7k2m9x4q`

const require = writing({
  name: 'second-factor require',
  path: '/v3/operator/second_factor/require',
  operationId: 'requireSecondFactor',
  summary: 'Require a second factor of the people of an account, or of every user.',
  description: 'It counts at once, in open sessions too. Requiring it twice changes nothing.',
  body: ScopeRequest,
  response: Rule,
  refusals: ['not_found'],
  asksPassword: true,
  run: (acting, { account_id }) =>
    acting.change(async sql =>
      presentRule(await insertFactorRule(sql, await scopeOf(sql, account_id))),
    ),
  command: {
    words: rule => `a second factor is required of ${whoOf(rule)}`,
    options: { account_id: 'of the people of this account (default: of every user)' },
    help: REQUIRE_HELP,
  },
})

const waive = writing({
  name: 'second-factor waive',
  path: '/v3/operator/second_factor/waive',
  operationId: 'waiveSecondFactor',
  summary: 'No longer require a second factor of the people of an account, or of every user.',
  description: 'Who has a second factor keeps it.',
  body: ScopeRequest,
  response: Rule,
  refusals: ['not_found', 'invalid_transition'],
  asksPassword: true,
  run: (acting, { account_id }) =>
    acting.change(async sql => {
      const waived = await deleteFactorRule(sql, await scopeOf(sql, account_id))
      if (waived !== undefined) return presentRule(waived)
      throw refusal('invalid_transition', 'There a second factor is not required.')
    }),
  command: {
    words: rule => `a second factor is no longer required of ${whoOf(rule)}`,
    options: { account_id: 'of the people of this account (default: of every user)' },
    help: '\nExample:\n  corridor second-factor waive --account acc_7k2m9x4q',
  },
})

export const secondFactor: ActionGroup = { actions: [rules, require, waive] }

export const resetFactor = writing({
  name: 'user reset-factor',
  path: '/v3/operator/user/:name/reset_factor',
  operationId: 'resetSecondFactor',
  summary: 'Remove the second factor of a user who has lost the device.',
  description:
    'The sessions of the user end. You cannot change your own user. The call needs a session.',
  params: UserPath,
  emptyBody: 'NothingMore',
  response: UserResponse,
  refusals: ['invalid_transition'],
  asksPassword: true,
  ofSession: true,
  run(acting, { name }) {
    acting.askOther(name)
    return acting.change(async sql => {
      const user = await userNamed(sql, name)
      if (!(await deleteFactor(sql, name))) {
        throw refusal('invalid_transition', `User ${name} has no second factor.`)
      }
      await endSessions(sql, name)
      return user
    })
  },
  command: {
    words: ({ name }) => `${name}: the second factor is removed, and the sessions are ended`,
    json: ({ name }) => ({ user: name, reset: true }),
    help: `
Make sure that it is the person who asks. Whoever knows the password can then
log in, and enrol another device.

Example:
  corridor user reset-factor mary`,
  },
})

/** Refuses (404) an unknown account. */
async function scopeOf(sql: Sql, account_id: string | undefined): Promise<string> {
  return account_id === undefined ? INSTALLATION : (await accountNamed(sql, account_id)).account_id
}

function presentRule({ scope, required_at }: FactorRule) {
  return { account_id: scope === INSTALLATION ? null : scope, required_at }
}

type PresentedRule = ReturnType<typeof presentRule>

function whoOf({ account_id }: Pick<PresentedRule, 'account_id'>): string {
  return account_id === null ? 'every user' : `the people of ${account_id}`
}

function columnsOf(rule: PresentedRule) {
  return { who: whoOf(rule), since: toSecond(rule.required_at) }
}
