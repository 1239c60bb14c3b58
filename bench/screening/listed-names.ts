// Invented listed parties: their names have syllables of the languages that most listed names come
// from, and the other spellings that lists publish beside a name.
import type { ListedEntry } from '../../src/screening/screening.ts'
import { pick, type Random } from './random.ts'

const words = (text: string) => text.trim().split(/\s+/)

interface Language {
  readonly given: readonly string[]
  /** A family name is a beginning, perhaps a middle, and an end. */
  readonly parts: readonly [readonly string[], readonly string[], readonly string[]]
  /** The same name in other spellings. */
  readonly spellings: readonly (readonly [RegExp, string])[]
}

const ARABIC: Language = {
  given: words(`Abdul-Rahman Abd-al-Karim Mohammed Ahmad Ali Hassan Hussein Ibrahim Khalid Mahmud
    Mustafa Nasser Omar Osama Saleh Tariq Walid Yahya Yusuf Zayd Fawzi Hamid Jamal Karim Rashid Abu-Bakr
    Abdallah Ayman Bassam Faris Ghassan Hisham Imad Jihad Kamal Luay Munir Nabil Qasim Ramzi`),
  parts: [
    words(`al-Ba al-Da al-Fa al-Gha al-Ha al-Ja al-Kha al-Ma al-Na al-Qa al-Ra al-Sa al-Sha al-Ta
      al-Wa al-Ya al-Za Ba Da Ha Ja Ma Sa`),
    words('ba bi dha di fi ghu hi ji ka li ma mu na qu ri sha ta wa za'),
    words('dadi hani shami masri tani libi jiri wi ri ni mi fi bi shi qi lawi rani sani zari didi'),
  ],
  spellings: [
    [/Mohammed/, 'Muhammad'],
    [/Ahmad/, 'Ahmed'],
    [/\bal-/g, 'el-'],
    [/Yusuf/, 'Yousef'],
    [/Hussein/, 'Husayn'],
    [/q/g, 'k'],
    [/(?<=\w)i\b/, 'y'],
    [/kh/gi, 'h'],
  ],
}

const RUSSIAN: Language = {
  given: words(`Aleksandr Aleksei Anatoly Andrei Anton Arkady Boris Denis Dmitry Evgeny Gennady Igor
    Ilya Ivan Kirill Konstantin Leonid Maksim Mikhail Nikolai Oleg Pavel Roman Sergei Stanislav Timur
    Vadim Valery Viktor Vladimir Vyacheslav Yuri Elena Irina Natalya Olga Svetlana Tatyana`),
  parts: [
    words(`Ab Bar Bel Bog Chern Dol Fil Gal Gor Gri Kal Kar Kirs Kol Kor Kuz Lap Mal Mats Mel Mor Nov
      Ost Pest Pol Rog Rud Sem Shar Shub Sol Stre Tim Tor Ust Vor Yag Zhar Zub`),
    words('a ba be chi da gu i ka ko le lo ma me ni no o pa re sha ti u va ve'),
    words('enko ev nikov ov in sky chuk yev lov rin shin tsev kin mov dze yan'),
  ],
  spellings: [
    [/Aleksandr/, 'Alexander'],
    [/ei\b/, 'ey'],
    [/y\b/, 'iy'],
    [/ks/g, 'x'],
    [/Evgeny/, 'Yevgeny'],
    [/ts/g, 'tz'],
    [/ya/g, 'ia'],
    [/sky\b/, 'skiy'],
  ],
}

const PERSIAN: Language = {
  given: words(`Ali-Reza Amir Ardeshir Behzad Davoud Esmail Farhad Gholam-Reza Hamid-Reza Hossein
    Javad Kazem Mahmoud Majid Mansour Mehdi Mohammad-Reza Mohsen Mojtaba Morteza Naser Parviz Qasem
    Rahim Rostam Saeed Seyed Vahid Yadollah`),
  parts: [
    words('Agha Az Bahm Dar Esm Fal Gho Had Jaf Kar Lah Mir Naq Pour Qal Rah Sal Tab Vah Zar'),
    words('a ad am ar e ej i im o ol os u'),
    words('zadeh nejad pour ian abadi mandi fard dehkan vari yani khah parast doost mardi'),
  ],
  spellings: [
    [/ou/g, 'u'],
    [/Hossein/, 'Hosein'],
    [/Seyed/, 'Sayyed'],
    [/q/gi, 'gh'],
    [/-/g, ''],
    [/zadeh/, 'zade'],
  ],
}

const SPANISH: Language = {
  given: words(`Alejandro Álvaro Arturo Carlos César Cristóbal Diego Edgar Efraín Eliseo Ernesto
    Fabián Fidel Gilberto Gonzalo Héctor Ignacio Ismael Jesús Joaquín Jorge José Leonel Mauricio
    Nicolás Óscar Rafael Ramiro Raúl Rodrigo Rubén Víctor Wilmer`),
  parts: [
    words(
      'Agui Alta Bari Beni Cabre Carre Cifu Esqui Felip Gali Iba Lari Mon Nava Ola Pala Quin Sala',
    ),
    words('be ca de ga le lla mi na no ra ri rra ta te va'),
    words('les mira rdo rez ndez nas no ño ra rro sco són tes vez yo zar'),
  ],
  spellings: [
    [/á/g, 'a'],
    [/[éè]/g, 'e'],
    [/í/g, 'i'],
    [/ó/g, 'o'],
    [/z\b/, 's'],
    [/José/, 'Jose'],
  ],
}

const KOREAN: Language = {
  given: words(`Chol-Su Hyon-Ho Il-Nam Jong-Chol Kwang-Il Kyong-Hui Myong-Chol Sang-Hun Song-Il
    Tae-Yong Yong-Chol Yong-Gil Chang-Hyok Ki-Nam Nam-Hyok Pyong-Gun Un-Gyong Won-Hyok`),
  parts: [
    words('Pa Cho Han Jang Kang Ki O Pyo Ri Ro So Yun Kim Hwang Paek'),
    [''],
    words('k n ng'),
  ],
  spellings: [
    [/-/g, ' '],
    [/Chol/g, 'Cheol'],
    [/Yong/g, 'Young'],
    [/Hyon/g, 'Hyun'],
    [/o\b/, 'oh'],
  ],
}

const LANGUAGES = [ARABIC, ARABIC, RUSSIAN, RUSSIAN, PERSIAN, SPANISH, KOREAN]

const BRANCHES = words(`Trading Shipping Petrochemical Aviation Machinery Electronics Metals Holding
  Investment Logistics Bank Construction Mining Insurance Defence Chemicals Telecom Foundation`)
const FORMS = words('Company Limited LLC JSC GmbH Corporation FZE Co. PJSC')

function familyName(random: Random, { parts: [begin, middle, end] }: Language): string {
  const inner = random() < 0.6 ? pick(random, middle) : ''
  return `${pick(random, begin)}${inner}${pick(random, end)}`
}

/** Entries that have at least this many names in total. */
export function listedEntries(names: number, random: Random): ListedEntry[] {
  const entries: ListedEntry[] = []
  for (let count = 0; count < names; count += entries.at(-1)?.names.length ?? 1) {
    entries.push(listedEntry(entries.length + 1, random))
  }
  return entries
}

function listedEntry(number: number, random: Random): ListedEntry {
  const language = pick(random, LANGUAGES)
  const kind = random() < 0.6 ? 'person' : 'organisation'
  const name = kind === 'person' ? person(random, language) : organisation(random, language)
  const aliases = Math.floor(random() * random() * 8)
  const texts = new Set([name])
  for (let i = 0; i < aliases; i++) texts.add(alias(name, random, language))
  return {
    entry_id: String(number),
    kind,
    names: Array.from(texts, text => ({ text, weak: false })),
    births: [],
    countries: [],
    ids: [],
    programmes: [],
  }
}

function person(random: Random, language: Language): string {
  const given = pick(random, language.given)
  const second = random() < 0.5 ? ` ${pick(random, language.given)}` : ''
  return `${given}${second} ${familyName(random, language)}`
}

function organisation(random: Random, language: Language): string {
  const own = familyName(random, language)
  const second = random() < 0.4 ? ` ${pick(random, BRANCHES)}` : ''
  return `${own} ${pick(random, BRANCHES)}${second} ${pick(random, FORMS)}`
}

/** The name in another spelling, perhaps without its second part or with one more family name. */
function alias(name: string, random: Random, language: Language): string {
  const [spelling, written] = pick(random, language.spellings)
  const spelled = name.replace(spelling, written)
  const parts = spelled.split(' ')
  if (parts.length > 2 && random() < 0.3) parts.splice(1, 1)
  if (random() < 0.3) parts.push(familyName(random, language))
  return parts.join(' ')
}
