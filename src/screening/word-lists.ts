// The words that names have beside what identifies a party: titles, legal forms, short business
// words and numbers. Legal forms are those of ISO 20275 (the Entity Legal Forms code list of GLEIF)
// that lists of sanctions and payees have most, with the words of the laws that they stand for.
// Titles follow the forms of address of the Unicode CLDR's languages. Scripts other than Latin are
// transliterated as names are. Pure.
import { wordsOf } from './words.ts'

const split = (text: string) => text.trim().split(/\s+/)

/**
 * A line has a word, a colon, and the phrases that mean the word, with commas between. A line that
 * begins with a space continues the line before.
 */
function phrases(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.trim().split(/\n(?! )/)) {
    const [word = '', others = ''] = line.split(':').map(part => part.trim())
    for (const phrase of others.split(',')) {
      const words = wordsOf(phrase).join(' ')
      if (words !== '') found.set(words, word)
    }
  }
  return found
}

/** Titles, honorifics and generations, which a name has or lacks at will. */
export const TITLES: ReadonlySet<string> = new Set(
  split(`
     mr mister mrs miss missus ms mx messrs sir madam madame maam lady lord rev reverend pastor
  bishop   archbishop rabbi hon honourable honorable excellency highness majesty president
  prasident   presidente vice premier minister senator governor mayor ambassador judge justice
  chairman   chairwoman director secretary doctor dr prof professor dipl phd md msc mba bsc esq
  esquire jr   junior sr senior capt captain cmdr commander cdr col colonel gen lt lieutenant maj
  brig brigadier   sgt sergeant admiral marshal cpl pvt herr frau fraulein dott dottor dottore
  dottoressa avv   avvocato rag geom sig signor signora signorina monsieur mme mlle mademoiselle
  maitre   senor senora senorita sra srta licenciado abogado dra doutor doutora senhor senhora
  mgr inz   gospodin gospodja gospozha tovarishch kyrios kyria hanim efendi sheikh shaikh shaykh
  sheik shayk cheikh cheik sheykh shaikha   sheikha haji hajji hadji alhaji alhaj ustadh ustad
  mullah mulla mawlawi maulvi mawlavi maulana   mawlana molvi ayatollah hojatoleslam doktor
  muhandis shri shrimati smt kumari pandit datuk dato   datin puan encik bapak nyonya sensei
  xiansheng nushi weyzero chevalier freiherr freifrau jonkheer   mevr mevrouw meneer dhr drs the`),
)

/** Titles that are names as well: they weigh half, as other words of many names. */
const TITLES_AND_NAMES = `king queen prince princess duke count baron baroness general major master
  father brother sister dean imam qari hafiz hafez qazi mufti amir emir malik sultan sardar sayyid
  sayyed sayed syed seyed seyyed sayid said hajj haj bey bay pasha akhund alim guru swami thiru
  graf ritter don dona pan pani khan shah mirza agha`

/** Legal forms: a word for each, and its long forms and translations. */
export const LEGAL_PHRASES = phrases(`
llc: llc, l l c, limited liability company, limited liability co, limited liability partnership
  company, wll, w l l, with limited liability, fz llc, fzllc, fzco, fz co, free zone company,
  free zone co, free zone establishment, fze, fzc, f z e, ооо, общество с ограниченной
  ответственностью, obshchestvo s ogranichennoi otvetstvennostyu, obshchestvo s ogranichennoy
  otvetstvennostyu, obschestvo s ogranichennoj otvetstvennostyu, obshchestvo s ogranichennoy
  otvetstvennostiu, тов, tzov, товариство з обмеженою відповідальністю, tovarystvo z obmezhenoiu
  vidpovidalnistiu, товарищество с ограниченной ответственностью, жшс, mchj, dmcc, dwc llc, شركة
  ذات مسؤولية محدودة, ذ م م, שותפות מוגבלת
ltd: ltd, ltd co, co ltd, company limited, limited company, limited, ltda, limitada, lda,
  sociedade limitada, sociedad limitada, cia ltda, compania limitada, private limited, private
  ltd, pvt ltd, pvtltd, pte ltd, pty ltd, pty limited, pte limited, pvt limited, pvt, pte, pty,
  proprietary limited, sdn bhd, sendirian berhad, cyf, limited sirketi, ltd sti, limited sti,
  sti, בע מ, בעמ, 有限公司, 有限責任公司, 有限责任公司, 有限会社, 유한회사, บริษัท จำกัด, จำกัด, công ty tnhh, công ty
  trách nhiệm hữu hạn, tnhh, prajeevate limited, प्राइवेट लिमिटेड, लिमिटेड
jsc: jsc, j s c, joint stock company, joint stock co, jnt stock co, oao, ao, zao, pao, ojsc,
  cjsc, pjsc, pjsco, jsoc, psc, open joint stock company, closed joint stock company, public
  joint stock company, private joint stock company, saudi joint stock company, акционерное
  общество, открытое акционерное общество, закрытое акционерное общество, публичное акционерное
  общество, непубличное акционерное общество, aktsionernoe obshchestvo, aktsionernoye
  obshchestvo, otkrytoe aktsionernoe obshchestvo, zakrytoe aktsionernoe obshchestvo, publichnoe
  aktsionernoe obshchestvo, otkrytoye aktsionernoye obshchestvo, zakrytoye aktsionernoye
  obshchestvo, publichnoye aktsionernoye obshchestvo, ат, прат, пат, акціонерне товариство,
  публічне акціонерне товариство, приватне акціонерне товариство, aktsionerne tovarystvo,
  адкрытае акцыянернае таварыства, закрытае акцыянернае таварыства, акционерно дружество, ад,
  еад, ead, акционарско друштво, akcionarsko drustvo, dionicko drustvo, ad, dd, акционерлік
  қоғам, sae, saog, saoc, kscc, kscp, ksc, bsc, bsc c, qsc, qpsc, ش م م, شركة مساهمة, شركة
  مساهمة عامة, sherkat sahami, sherkat sahami khass, sahami khas, 株式会社, kabushiki kaisha,
  kabushiki gaisha, kk, 股份有限公司, 주식회사, chusik hoesa, công ty cổ phần, ctcp, มหาชน, jeong bo,
  სააქციო საზოგადოება
ag: ag, a g, aktiengesellschaft, aktiengesellshaft, aktienges, aktiengeselschaft,
  aktiengeselschaf
gmbh: gmbh, g m b h, mbh, ges mbh, gesmbh, ggmbh, gesellschaft mit beschrankter haftung,
  gesellschaft mit beschraenkter haftung, ug, unternehmergesellschaft, ug haftungsbeschrankt,
  unternehmergesellschaft haftungsbeschrankt, gmbh co kg, gmbh und co kg, gmbh & co kg, mit
  beschrankter haftung
kg: kg, kommanditgesellschaft, kgaa, kommanditgesellschaft auf aktien, ohg, offene
  handelsgesellschaft, gbr, ek, eingetragener kaufmann, co kg, und co kg
ev: eingetragener verein, eingetragene genossenschaft
sa: sa, s a, sociedad anonima, sociedade anonima, societe anonyme, societa anonima, sociedad
  anonyma, sab, sab de cv, sa de cv, sociedad anonima de capital variable, sociedad anonima
  cerrada, sac, saa, sociedad anonima abierta, spa, s p a, societa per azioni, sociedad por
  acciones, sca, sas, s a s, societe par actions simplifiee, sociedad por acciones simplificada,
  sasu, societe en commandite par actions, anonim sirketi, anonim sirket, as, a s, a o, anonim
  ortakligi, anonymi etaireia, anonymos etairia, ανώνυμη εταιρεία, αε, ae, ανώνυμος εταιρεία,
  societate pe actiuni, sa rl, spolka akcyjna, shoqeri aksionare, shoqeri anonime, sh a
sarl: sarl, s a r l, s r l, srl, societe a responsabilite limitee, sociedad de responsabilidad
  limitada, sociedad responsabilidad limitada, societa a responsabilita limitata, srls,
  societatea cu raspundere limitata, societate cu raspundere limitata, sociedad de
  responsabilidad limitada de capital variable, s de rl de cv, s de rl, srl de cv, eurl,
  entreprise unipersonnelle a responsabilite limitee, sprl, spri, bvba, besloten vennootschap,
  besloten vennootschap met beperkte aansprakelijkheid, bv, b v, sl, s l, slu, sociedad limitada
  unipersonal, epe, επε, εταιρεία περιορισμένης ευθύνης, etaireia periorismenis efthynis, shpk,
  sh p k, shoqeri me pergjegjesi te kufizuar
nv: nv, n v, naamloze vennootschap, vof, cvba, cv
plc: plc, p l c, public limited company, public ltd co, public company limited, pcl, public
  limited, berhad, bhd, tbk, perseroan terbatas, pt, persero
inc: inc, incorporated, incorporation, incorp, corp, corporation, corporacion, corporacao,
  corporate, cia, companhia, compania, compagnie, co, company, and company, and co, & co, et
  cie, cie, et compagnie, y compania, y cia, e cia, und co, компания, kompaniya, компанія, شركة,
  الشركة, sharika, sharikat, shirkat, חברה, εταιρεία, etaireia, 公司, 会社, 회사, бірлестігі, na,
  national association, spolecnost, sirketi, gesellschaft
llp: llp, l l p, limited liability partnership, lp, l p, limited partnership, gp, general
  partnership, scs, snc, societa in nome collettivo, societe en nom collectif, sas di, sc,
  societe civile
as: aktieselskab, aktieselskabet, aksjeselskap, aksjeselskapet, asa, allmennaksjeselskap, aps,
  anpartsselskab, anpartsselskabet, ab, aktiebolag, aktiebolaget, publ, abp, oy, oyj,
  osakeyhtio, julkinen osakeyhtio, hf, ehf, hlutafelag, einkahlutafelag, a s aktieselskab
sro: sro, s r o, spol s r o, spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym,
  akciova spolecnost, akciova spolocnost, ltd s r o, kft, korlatolt felelossegu tarsasag, zrt,
  nyrt, rt, bt, zartkoruen mukodo reszvenytarsasag, nyilvanosan mukodo reszvenytarsasag, sp z o
  o, spzoo, spolka z ograniczona odpowiedzialnoscia, spolka z oo, sp zoo, sp k, spolka
  komandytowa, sp j, spolka jawna, doo, d o o, drustvo s ogranicenom odgovornoscu, drustvo sa
  ogranicenom odgovornoscu, druzba z omejeno odgovornostjo, друштво со ограничена одговорност,
  дооел, dooel, друштво са ограниченом одговорношћу, ood, оод, eood, еоод, дружество с
  ограничена отговорност, ou, osauhing, aktsiaselts, sabiedriba ar ierobezotu atbildibu, akciju
  sabiedriba, uab, uzdaroji akcine bendrove, akcine bendrove
se: societas europaea, europaische gesellschaft
ip: индивидуальный предприниматель, individualnyi predprinimatel, eirl, empresa individual de
  responsabilidad limitada, eireli, sole proprietorship, sole proprietor, фоп, fop
gup: фгуп, fgup, гуп, gup, муп, федеральное государственное унитарное предприятие,
  государственное унитарное предприятие, federalnoe gosudarstvennoe unitarnoe predpriyatie,
  federal state unitary enterprise, state unitary enterprise, unitary enterprise
`)

/** Business words, and how they are shortened. */
const SHORTENED = phrases(`
trading: trdg, trdng, tradg, trad, tdg
international: intl, intnl, internl, int l, internacional, internazionale, internationale
services: svcs, svc, svs, srvs, srvcs, service
company: cmpny
group: grp, gruppa, gruppe, grupo, gruppo, groupe, gruop
holding: hldg, hldgs, hldngs, holdings
industries: inds, indus, indust, industry
engineering: engg, engrg, engr
construction: constr, constrn, cnstr, contr
development: dvlpmt, devt, devpt, dev
manufacturing: mfg, manuf, mnfg
management: mgmt, mgt, mngmt
investment: invst, invmt, invt, invest, investments
enterprises: ents, entpr, entprs, enterprise
establishment: estab, estb, estt
association: assn, assoc, asscn
brothers: bros
bank: bk, bnk
national: natl, nat l
government: govt, gov t
department: dept
university: univ
institute: inst
technology: technol, technologies
transport: transp, trnsp, transportation
shipping: shpg, shipg
electronics: electr, elec, elecs
pharmaceutical: pharm, pharma, pharmaceuticals
petroleum: petrol, petr
chemical: chem, chemicals
general: genl
import: imp
export: exp
laboratory: lab, labs, laboratories
logistics: logist, logis
maritime: marit
marketing: mktg
products: prods, prod
production: prodn
research: rsch
equipment: equip, eqpt
machinery: mach
systems: sys, syst, system
center: ctr, centre, cntr
branch: br, filial, filiale, sucursal, succursale
organization: org, organisation
corporation: corpn
commercial: comml, comm
construction: bldg
agency: agcy
authority: auth
united states: us, usa, u s, u s a, united states of america
united kingdom: uk, u k
`)

const ONES = split(`zero one two three four five six seven eight nine ten eleven twelve thirteen
  fourteen fifteen sixteen seventeen eighteen nineteen`)
const ORDINALS = split(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth
  eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`)
const TENS = split('twenty thirty forty fifty sixty seventy eighty ninety')
const ORDINAL_TENS = split(
  'twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth',
)

/** Numbers up to 99 in words, and their usual misspellings, as digits. */
function numbers(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const names of [ONES, ORDINALS]) names.forEach((name, i) => void found.set(name, String(i)))
  for (const [names, first] of [
    [TENS, 20],
    [ORDINAL_TENS, 20],
  ] as const) {
    names.forEach((name, i) => void found.set(name, String(first + 10 * i)))
  }
  found.set('fourty', '40')
  TENS.forEach((tens, i) => {
    for (const names of [ONES, ORDINALS]) {
      for (let j = 1; j < 10; j++) found.set(`${tens} ${names[j]}`, String(20 + 10 * i + j))
    }
  })
  for (let j = 1; j < 10; j++) found.set(`fourty ${ONES[j]}`, String(40 + j))
  return found
}

/** All phrases that stand for one word. */
const PHRASES: ReadonlyMap<string, string> = new Map([...numbers(), ...SHORTENED, ...LEGAL_PHRASES])

const LONGEST = Math.max(...Array.from(PHRASES.keys(), phrase => phrase.split(' ').length))
const FIRSTS = new Set(Array.from(PHRASES.keys(), phrase => phrase.split(' ')[0] ?? ''))

/** Legal forms as words, and words that legal forms have when they are written out. */
export const LEGAL_FORMS: ReadonlySet<string> = new Set([
  ...LEGAL_PHRASES.values(),
  ...Array.from(LEGAL_PHRASES.keys()).filter(phrase => !phrase.includes(' ')),
  ...split(`joint stock liability private public company limited societe sociedad societa sociedade
    anonyme anonima obshchestvo aktsionernoe ogranichennoy otvetstvennostyu publichnoe otkrytoe
    zakrytoe haftung beschrankter spolka stock pvtltd`),
])

/** The words. The longest phrases are replaced first by the word that they mean. */
export function withoutPhrases(words: readonly string[]): string[] {
  const found: string[] = []
  for (let i = 0; i < words.length; ) {
    let taken = 0
    if (FIRSTS.has(words[i] ?? '')) {
      for (let count = Math.min(LONGEST, words.length - i); count > 0 && taken === 0; count--) {
        const one = PHRASES.get(words.slice(i, i + count).join(' '))
        if (one === undefined) continue
        found.push(...one.split(' '))
        taken = count
      }
    }
    if (taken === 0) found.push(words[i] ?? '')
    i += taken || 1
  }
  return found
}

/** Words of many companies' names. */
export const BUSINESS: ReadonlySet<string> = new Set(
  split(`
  bank branch center chemical commercial construction development electronics engineering
  enterprises equipment establishment europe export factory foundation general global government
  group holding import industrial industries international investment laboratory limited logistics
  machinery management manufacturing marine maritime marketing national navigation oil
  organization petroleum pharmaceutical production products research services shipping ship
  state systems technology trade trading transport`),
)

/** Words of many names, which identify a party less. */
export const COMMON: ReadonlySet<string> = new Set([
  ...BUSINESS,
  ...split(`abd abdul abu al bin ben ibn de del der el for la mohamed mohammad mohammed muhammad of
    the und and van von y i e et ${TITLES_AND_NAMES}`),
])

/** Syllables of Hangul by their first consonant, vowel and last consonant, in three spellings. */
export const HANGUL = {
  revised: [
    split('g kk n d tt r m b pp s ss - j jj ch k t p h'),
    split('a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'),
    split('- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'),
  ],
  northern: [
    split('k kk n t tt r m p pp s ss - j jj ch kh th ph h'),
    split('a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i'),
    split('- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'),
  ],
  usual: [
    split('k kk n d tt r m b pp s ss - j jj ch k t p h'),
    split('a ae ya yae u e you ye o wa wae oe yo oo wo we wi yoo eu ui i'),
    split('- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'),
  ],
} as const

/** Family names with an irregular usual spelling. */
export const HANGUL_FAMILIES: ReadonlyMap<string, string> = new Map(
  split(`김 kim 이 lee 박 park 최 choi 정 jung 강 kang 조 cho 윤 yoon 장 jang 임 lim 한 han 오 oh 서 seo
    신 shin 권 kwon 황 hwang 안 ahn 송 song 류 ryu 유 yoo 전 jeon 홍 hong 고 ko 문 moon 양 yang 손 son
    배 bae 백 paik 허 huh 남 nam 심 shim 노 noh 하 ha 곽 kwak 성 sung 차 cha 주 joo 우 woo 구 koo 리 ri`).flatMap(
    (word, i, all) => (i % 2 === 0 ? [[word, all[i + 1] ?? ''] as const] : []),
  ),
)
