// Compares the state of screening of entities and beneficiaries with their matches. An open match
// prevents an entity's approval, and a confirmed one holds payouts.
import { ofAccount, rule } from './rows.ts'

/** Each party's screening is the worst state of its matches. `prefix` is that of its id. */
const screeningFitsMatches = (table: string, prefix: string) => rule(table)`
  select coalesce(p.account_id, m.account_id) as account_id, coalesce(p.id, m.object_id) as key,
    'screening "' || coalesce(m.says, '') || '", as its matches say' as expected,
    'screening "' || coalesce(p.screening, '') || '"' as found
  from (
    select account_id, object_id,
      case when bool_or(state = 'confirmed') then 'confirmed' else 'open' end as says
    from screening_matches
    where state <> 'cleared' and left(object_id, 4) = '${prefix}'
      and ${ofAccount('account_id')}
    group by account_id, object_id
  ) m
  full join (
    select account_id, id, screening from ${table}
    where screening is distinct from '' and ${ofAccount('account_id')}
  ) p on p.account_id = m.account_id and p.id = m.object_id
  where p.screening is distinct from coalesce(m.says, '')`

export const SCREENING = [
  screeningFitsMatches('entities', 'ent_'),
  screeningFitsMatches('beneficiaries', 'bnf_'),
]
