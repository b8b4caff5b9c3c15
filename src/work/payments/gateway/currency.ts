// Lists the currencies of ISO 4217, and how many decimals an amount in each may have.

/** Amounts in these currencies have two decimals. */
const TWO_DECIMALS = `
	AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP
	CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
	KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
	NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
	TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`;

const OTHER_DECIMALS: Readonly<Record<number, string>> = {
	0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
	3: 'BHD IQD JOD KWD LYD OMR TND',
	4: 'CLF UYW',
};

const EXPONENTS = new Map<string, number>(codes(TWO_DECIMALS).map((code) => [code, 2]));
for (const [exponent, list] of Object.entries(OTHER_DECIMALS)) {
	for (const code of codes(list)) EXPONENTS.set(code, Number(exponent));
}

function codes(list: string): string[] {
	return list.trim().split(/\s+/);
}

/** Returns the number of decimals of a currency, or undefined if the text is not an ISO 4217 code in capitals. */
export function findExponent(currency: string): number | undefined {
	return EXPONENTS.get(currency);
}

/** Lists every currency code that is accepted. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];
