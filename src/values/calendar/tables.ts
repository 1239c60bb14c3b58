// The holidays of five settlement systems, 2026 to 2028. A line is a date and its name. Each table
// names the source of its dates, and tables.test.ts computes them again from their rules. To extend
// a table, add the next year as published, and move `last`.
import type { Calendar, CalendarName, Holiday } from './calendar.ts'

const YEARS = { first: '2026-01-01', last: '2028-12-31' } as const

function holidays(lines: string): Holiday[] {
  return lines
    .trim()
    .split('\n')
    .map(line => ({ date: line.trim().slice(0, 10), name: line.trim().slice(11) }))
}

const T2: Calendar = {
  name: 't2',
  title: 'T2, the Eurosystem’s real-time gross settlement system',
  currency: 'EUR',
  zone: 'Europe/Brussels',
  ...YEARS,
  source:
    'The six closing days that the European Central Bank set for TARGET from 2002 on (press ' +
    'release of 14 December 2000), which T2 has kept. Read in secondary sources on 2026-11-23; ' +
    'the dates are computed from the rule.',
  holidays: holidays(`
    2026-01-01 New Year’s Day
    2026-04-03 Good Friday
    2026-04-06 Easter Monday
    2026-05-01 Labour Day
    2026-12-25 Christmas Day
    2026-12-26 Christmas Holiday
    2027-01-01 New Year’s Day
    2027-03-26 Good Friday
    2027-03-29 Easter Monday
    2027-05-01 Labour Day
    2027-12-25 Christmas Day
    2027-12-26 Christmas Holiday
    2028-01-01 New Year’s Day
    2028-04-14 Good Friday
    2028-04-17 Easter Monday
    2028-05-01 Labour Day
    2028-12-25 Christmas Day
    2028-12-26 Christmas Holiday`),
}

const FED: Calendar = {
  name: 'fed',
  title: 'The Federal Reserve Banks: Fedwire and FedACH',
  currency: 'USD',
  zone: 'America/New_York',
  ...YEARS,
  source:
    'Federal Reserve Bank of Richmond, richmondfed.org/about_us/holiday_schedule: 2026 and 2027, ' +
    'and the rule that a holiday on a Saturday closes no Friday and one on a Sunday closes the ' +
    'Monday. Read from a stored copy on 2026-11-23. 2028 is computed from the same rules.',
  holidays: holidays(`
    2026-01-01 New Year’s Day
    2026-01-19 Birthday of Martin Luther King, Jr.
    2026-02-16 Washington’s Birthday
    2026-05-25 Memorial Day
    2026-06-19 Juneteenth National Independence Day
    2026-07-04 Independence Day
    2026-09-07 Labor Day
    2026-10-12 Columbus Day
    2026-11-11 Veterans Day
    2026-11-26 Thanksgiving Day
    2026-12-25 Christmas Day
    2027-01-01 New Year’s Day
    2027-01-18 Birthday of Martin Luther King, Jr.
    2027-02-15 Washington’s Birthday
    2027-05-31 Memorial Day
    2027-06-19 Juneteenth National Independence Day
    2027-07-05 Independence Day (observed)
    2027-09-06 Labor Day
    2027-10-11 Columbus Day
    2027-11-11 Veterans Day
    2027-11-25 Thanksgiving Day
    2027-12-25 Christmas Day
    2028-01-01 New Year’s Day
    2028-01-17 Birthday of Martin Luther King, Jr.
    2028-02-21 Washington’s Birthday
    2028-05-29 Memorial Day
    2028-06-19 Juneteenth National Independence Day
    2028-07-04 Independence Day
    2028-09-04 Labor Day
    2028-10-09 Columbus Day
    2028-11-11 Veterans Day
    2028-11-23 Thanksgiving Day
    2028-12-25 Christmas Day`),
}

const UK: Calendar = {
  name: 'uk',
  title: 'CHAPS and Bacs: bank holidays of England and Wales',
  currency: 'GBP',
  zone: 'Europe/London',
  ...YEARS,
  source:
    'Banking and Financial Dealings Act 1971 with its proclaimed days, and substitute days for ' +
    'those at a weekend. The dates are computed from the rule, and 2026 agrees with a published ' +
    'table of currency holidays (docs.nium.com, read from a stored copy on 2026-11-23). A bank ' +
    'holiday proclaimed for one year alone is not in it.',
  holidays: holidays(`
    2026-01-01 New Year’s Day
    2026-04-03 Good Friday
    2026-04-06 Easter Monday
    2026-05-04 Early May bank holiday
    2026-05-25 Spring bank holiday
    2026-08-31 Summer bank holiday
    2026-12-25 Christmas Day
    2026-12-28 Boxing Day (substitute day)
    2027-01-01 New Year’s Day
    2027-03-26 Good Friday
    2027-03-29 Easter Monday
    2027-05-03 Early May bank holiday
    2027-05-31 Spring bank holiday
    2027-08-30 Summer bank holiday
    2027-12-27 Christmas Day (substitute day)
    2027-12-28 Boxing Day (substitute day)
    2028-01-03 New Year’s Day (substitute day)
    2028-04-14 Good Friday
    2028-04-17 Easter Monday
    2028-05-01 Early May bank holiday
    2028-05-29 Spring bank holiday
    2028-08-28 Summer bank holiday
    2028-12-25 Christmas Day
    2028-12-26 Boxing Day`),
}

const CH: Calendar = {
  name: 'ch',
  title: 'Swiss Interbank Clearing (SIC)',
  currency: 'CHF',
  zone: 'Europe/Zurich',
  ...YEARS,
  source:
    'The ten days on which SIC does not settle, as a published table of currency holidays gives ' +
    'them for 2026 (docs.nium.com, read from a stored copy on 2026-11-23). 2027 and 2028 are ' +
    'computed from the same days.',
  holidays: holidays(`
    2026-01-01 New Year’s Day
    2026-01-02 Berchtold’s Day
    2026-04-03 Good Friday
    2026-04-06 Easter Monday
    2026-05-01 Labour Day
    2026-05-14 Ascension Day
    2026-05-25 Whit Monday
    2026-08-01 National Day
    2026-12-25 Christmas Day
    2026-12-26 St Stephen’s Day
    2027-01-01 New Year’s Day
    2027-01-02 Berchtold’s Day
    2027-03-26 Good Friday
    2027-03-29 Easter Monday
    2027-05-01 Labour Day
    2027-05-06 Ascension Day
    2027-05-17 Whit Monday
    2027-08-01 National Day
    2027-12-25 Christmas Day
    2027-12-26 St Stephen’s Day
    2028-01-01 New Year’s Day
    2028-01-02 Berchtold’s Day
    2028-04-14 Good Friday
    2028-04-17 Easter Monday
    2028-05-01 Labour Day
    2028-05-25 Ascension Day
    2028-06-05 Whit Monday
    2028-08-01 National Day
    2028-12-25 Christmas Day
    2028-12-26 St Stephen’s Day`),
}

const HK: Calendar = {
  name: 'hk',
  title: 'CHATS in Hong Kong: general holidays',
  currency: 'HKD',
  zone: 'Asia/Hong_Kong',
  ...YEARS,
  source:
    'General Holidays Ordinance (Cap. 149): its days and its rules for Sundays. 2026 agrees with ' +
    'a published table of currency holidays (docs.nium.com), the lunar days of 2027 with ' +
    'public-holidays.us, both read from stored copies on 2026-11-23. 2028 is not gazetted yet: ' +
    'its days follow from the Chinese calendar and the same rules; compare when it is.',
  holidays: holidays(`
    2026-01-01 The first day of January
    2026-02-17 Lunar New Year’s Day
    2026-02-18 The second day of Lunar New Year
    2026-02-19 The third day of Lunar New Year
    2026-04-03 Good Friday
    2026-04-04 The day following Good Friday
    2026-04-06 The day following Ching Ming Festival
    2026-04-07 The day following Easter Monday
    2026-05-01 Labour Day
    2026-05-25 The day following the Birthday of the Buddha
    2026-06-19 Tuen Ng Festival
    2026-07-01 Hong Kong Special Administrative Region Establishment Day
    2026-09-26 The day following the Chinese Mid-Autumn Festival
    2026-10-01 National Day
    2026-10-19 The day following Chung Yeung Festival
    2026-12-25 Christmas Day
    2026-12-26 The first weekday after Christmas Day
    2027-01-01 The first day of January
    2027-02-06 Lunar New Year’s Day
    2027-02-08 The third day of Lunar New Year
    2027-02-09 The fourth day of Lunar New Year
    2027-03-26 Good Friday
    2027-03-27 The day following Good Friday
    2027-03-29 Easter Monday
    2027-04-05 Ching Ming Festival
    2027-05-01 Labour Day
    2027-05-13 The Birthday of the Buddha
    2027-06-09 Tuen Ng Festival
    2027-07-01 Hong Kong Special Administrative Region Establishment Day
    2027-09-16 The day following the Chinese Mid-Autumn Festival
    2027-10-01 National Day
    2027-10-08 Chung Yeung Festival
    2027-12-25 Christmas Day
    2027-12-27 The first weekday after Christmas Day
    2028-01-01 The first day of January
    2028-01-26 Lunar New Year’s Day
    2028-01-27 The second day of Lunar New Year
    2028-01-28 The third day of Lunar New Year
    2028-04-04 Ching Ming Festival
    2028-04-14 Good Friday
    2028-04-15 The day following Good Friday
    2028-04-17 Easter Monday
    2028-05-01 Labour Day
    2028-05-02 The Birthday of the Buddha
    2028-05-29 The day following Tuen Ng Festival
    2028-07-01 Hong Kong Special Administrative Region Establishment Day
    2028-10-02 The day following National Day
    2028-10-04 The day following the Chinese Mid-Autumn Festival
    2028-10-26 Chung Yeung Festival
    2028-12-25 Christmas Day
    2028-12-26 The first weekday after Christmas Day`),
}

export const CALENDARS: Readonly<Record<CalendarName, Calendar>> = {
  t2: T2,
  fed: FED,
  uk: UK,
  ch: CH,
  hk: HK,
}
