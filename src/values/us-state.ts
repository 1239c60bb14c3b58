// The states of the US: codes and names of ISO 3166-2:US, without the prefix `US-`. Pure.

/** 50 states, the District of Columbia, and six outlying areas. */
export const US_STATES = {
  ...{ AL: 'Alabama', AK: 'Alaska', AZ: 'Arizona', AR: 'Arkansas', CA: 'California' },
  ...{ CO: 'Colorado', CT: 'Connecticut', DE: 'Delaware', DC: 'District of Columbia' },
  ...{ FL: 'Florida', GA: 'Georgia', HI: 'Hawaii', ID: 'Idaho', IL: 'Illinois', IN: 'Indiana' },
  ...{ IA: 'Iowa', KS: 'Kansas', KY: 'Kentucky', LA: 'Louisiana', ME: 'Maine', MD: 'Maryland' },
  ...{ MA: 'Massachusetts', MI: 'Michigan', MN: 'Minnesota', MS: 'Mississippi', MO: 'Missouri' },
  ...{ MT: 'Montana', NE: 'Nebraska', NV: 'Nevada', NH: 'New Hampshire', NJ: 'New Jersey' },
  ...{ NM: 'New Mexico', NY: 'New York', NC: 'North Carolina', ND: 'North Dakota', OH: 'Ohio' },
  ...{ OK: 'Oklahoma', OR: 'Oregon', PA: 'Pennsylvania', RI: 'Rhode Island' },
  ...{ SC: 'South Carolina', SD: 'South Dakota', TN: 'Tennessee', TX: 'Texas', UT: 'Utah' },
  ...{ VT: 'Vermont', VA: 'Virginia', WA: 'Washington', WV: 'West Virginia', WI: 'Wisconsin' },
  ...{ WY: 'Wyoming', AS: 'American Samoa', GU: 'Guam', MP: 'Northern Mariana Islands' },
  ...{ PR: 'Puerto Rico', UM: 'United States Minor Outlying Islands', VI: 'Virgin Islands' },
} as const

/** `none` for no state. */
export type UsState = keyof typeof US_STATES | 'none'

export const US_STATE_CODES: readonly UsState[] = [
  'none',
  ...(Object.keys(US_STATES).sort() as (keyof typeof US_STATES)[]),
]
