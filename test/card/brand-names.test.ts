// Tests the names of card types that exports write. They come from the public documentation of payment providers
// (Adyen, Worldpay, Stripe, Braintree, Square, Datatrans, CyberSource, Authorize.net, Fiserv, HiPay), hotel systems (Oracle,
// DerbySoft), reservation systems and the W3C's card networks, and from names that people type.

import test from 'ava';
import fc from 'fast-check';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { findCardType, GDS_CARD_CODES } from '../../src/base/card/names/brand-names.ts';

/** Names by type; a bar divides names, and `-` stands for names that are those of no type. */
const NAMES: Readonly<Record<string, string>> = {
	Visa: 'VISA|visa|Visa Card|VISA DEBIT|VISA CREDIT|VISADEBIT|visacredit|VISA PURCHASING|Visa Business|visacorporate|VISA_CREDIT-SSL|VISA_COMMERCIAL_DEBIT-SSL|VISA-SSL|visaplatinum|visaclassic|visa_applepay|visasuperpremiumcredit|Visa Signature|VISA INTL|Visa ***1111|Visa ending in 1111|Carte Bleue|Carte Bleue/Visa|CARTEBLEUE-SSL|V PAY|vpay|VIS|VA|VI|VS|BL|V|Visa Kreditkarte|Tarjeta Visa Crédito|Carta Visa prepagata|Cartão Visa|visa/credit|Credit Card (Visa)|VISA®',
	MasterCard:
		'MASTER|Master Card|MASTERCARD CREDIT|MASTERCARD DEBIT|MC DEBIT|mcdebit|mccredit|mccommercialcredit_b2b|mc_googlepay|mc|MC 1111|Mastercard World Elite|debitmastercard|EUROCARD|Euro/Mastercard|Eurocard/Mastercard|ECMC-SSL|ECMC_DEBIT-SSL|ECA|CA|IK|EC|MD|M|MSTR|Mastercard Firmenkarte|Tarjeta Mastercard débito|mastercard-prepaid',
	AMEX: 'AMEX|AE|AX|A|X|AMX|AMEX CORPORATE|amexcorporate|amexsmallbusiness|AMERICAN EXPRESS|American Express Corporate|AMERICAN EXPRESS CORPORATE CARD|AMERICAN_EXPRESS|AmericanExpress|american-express|AMEX-SSL|amex_samsungpay|Am. Express|Amex Platinum|Amex Purchasing',
	DinersClub:
		"DC|DN|DIN|DCI|CBL|DINERS|Diners Club|DINERS CLUB INTL|Diners Club International|Diner's Club|DINERS-SSL|DinersClub|Carte Blanche|DISCOVER_DINERS",
	Discover: 'DS|DI|DIS|D|DISCOVER|Discover Card|Discover Network|DISCOVER-SSL',
	JCB: 'JCB|JC|JB|J|JCB CARD|JCB-SSL|JCB Gold',
	Maestro: 'MAESTRO|MAESTRO UK|UK Maestro|maestrouk|MAESTRO-SSL|TO|MA|Maestro Debit|Mastercard Maestro|mcmaestro|MAU',
	UnionPay:
		'UNION PAY|UnionPay|China UnionPay|CHINA_UNIONPAY|China Union Pay|CUP|CU|UP|UPI|cupdebit|UnionPay debit card|UNIONPAY INTERNATIONAL',
	Electron: 'Visa Electron|VISAELECTRON|ELECTRON|VE|UKE',
	Delta: 'Delta|VISA DELTA|VD',
	Dankort: 'Dankort|visadankort|VISA/DANKORT|DANKORT-SSL',
	Switch: 'Switch|SOLO|SOLO_GB-SSL|SWITCH-SSL',
	UATP: 'UATP|TP|AIRPLUS|AirPlus Corporate|AIRPLUS-SSL',
	Elo: 'ELO|ELO CREDITO|Elo Débito',
	Hipercard: 'HIPERCARD|Hiper',
	CartaSi: 'CartaSi|Carta Si',
	CartesBancaires: 'CB|Cartes Bancaires|Carte Bancaire|cartebancaire|CB-SSL|CB VISA|Visa / CB',
	Mir: 'MIR|Мир|MIR Classic',
	RuPay: 'RuPay|RUPAY DEBIT',
	Verve: 'Verve',
	Mada: 'mada|MADA VISA',
	Troy: 'TROY|Troy Kredit',
	'-': 'Credit Card|CREDIT|Debit|Corporate|Virtual|VCC|Kreditkarte|carte de crédit|Tarjeta de crédito|Prepaid|A Card|GIROCARD|EC-Karte|Bancontact|bcmc|Gift Card|Unknown|OTHER_BRAND|PayPal|Visa/Mastercard|CC|001|*|4111',
};

for (const [type, list] of Object.entries(NAMES)) {
	test(`names of ${type === '-' ? 'no type' : type} are read as exports write them`, (t) => {
		for (const name of list.split('|')) {
			const found = findCardType(name);
			t.is(found === undefined ? '-' : CARD_TYPES[found], type, name);
		}
	});
}

test('the table holds more than a hundred names', (t) => {
	t.true(Object.values(NAMES).flatMap((list) => list.split('|')).length > 150);
});

test('each wire name and each code of a network names a type, in either case and with signs around it', (t) => {
	for (const [index, type] of CARD_TYPES.entries()) {
		for (const name of [type, type.toUpperCase(), ` ${type.toLowerCase()}. `]) t.is(findCardType(name), index, name);
	}
	for (const code of GDS_CARD_CODES) t.not(findCardType(code), undefined, code);
});

test('any text is read in bounded time and names a known type or none', (t) => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
			const found = findCardType(name);
			t.true(found === undefined || (found >= 0 && found < CARD_TYPES.length));
		}),
	);
	t.is(findCardType('card'.repeat(10_000)), undefined);
});
