// Apart from cloud-events.ts, because of its table of countries: the ids of people that do not show their numbers.

/** Calling codes with their countries; the first of several that share one. */
const COUNTRIES: Record<string, string> = Object.fromEntries(
  `1US 7RU 20EG 27ZA 30GR 31NL 32BE 33FR 34ES 36HU 39IT 40RO 41CH 43AT 44GB 45DK 46SE 47NO 48PL 49DE 51PE 52MX 53CU 54AR 55BR
56CL 57CO 58VE 60MY 61AU 62ID 63PH 64NZ 65SG 66TH 81JP 82KR 84VN 86CN 90TR 91IN 92PK 93AF 94LK 95MM 98IR 212MA 213DZ 216TN 218LY
221SN 225CI 233GH 234NG 237CM 243CD 244AO 250RW 251ET 254KE 255TZ 256UG 258MZ 260ZM 263ZW 351PT 352LU 353IE 354IS 355AL 356MT
357CY 358FI 359BG 370LT 371LV 372EE 373MD 374AM 375BY 380UA 381RS 385HR 386SI 387BA 389MK 420CZ 421SK 501BZ 502GT 503SV 504HN
505NI 506CR 507PA 509HT 591BO 592GY 593EC 595PY 597SR 598UY 852HK 853MO 855KH 856LA 880BD 886TW 961LB 962JO 963SY 964IQ 965KW
966SA 967YE 968OM 970PS 971AE 972IL 973BH 974QA 975BT 976MN 977NP 992TJ 993TM 994AZ 995GE 996KG 998UZ`
    .split(/\s+/)
    .map((pair) => [pair.slice(0, -2), pair.slice(-2)]),
)

/** Of a number that is not known, or of a country that is not in the table. */
const NO_COUNTRY = 'ZZ'

/** Somebody, as events name people. */
export interface Person {
  /** Absent if only a LID is known. */
  wa_id?: string
  user_id: string
}

/** The country, a dot, and the digits of the LID, or of the number where no LID is known. */
export function formatUserId(phone: string, lid: string): string {
  const [digits = ''] = lid.split(/[:@]/)
  return `${findCountry(phone)}.${digits || phone}`
}

const findCountry = (phone: string): string =>
  [3, 2, 1].map((length) => COUNTRIES[phone.slice(0, length)]).find(Boolean) ?? NO_COUNTRY
