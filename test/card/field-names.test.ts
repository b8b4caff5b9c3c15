import test from 'ava';
import fc from 'fast-check';
import {
	type CardField,
	findFieldMeaning,
	foldFieldName,
	readFieldName,
} from '../../src/base/card/names/field-names.ts';
import { anyCharacter } from '../helpers/any-character.ts';

const sure = test.macro<[CardField, ...string[]]>({
	exec(t, field, ...names) {
		for (const name of names) t.deepEqual([name, meaningOf(name)], [name, `${field}, sure`]);
	},
	title: (what) => `${what} says by itself that it is a field of a card`,
});

const inContext = test.macro<[CardField, ...string[]]>({
	exec(t, field, ...names) {
		for (const name of names) t.deepEqual([name, meaningOf(name)], [name, `${field}, in context`]);
	},
	title: (what) => `${what} is a field of a card only beside something that says card`,
});

const no = test.macro<string[]>({
	exec(t, ...names) {
		for (const name of names) t.deepEqual([name, meaningOf(name)], [name, 'none']);
	},
	title: (what) => `${what} is no field of a card`,
});

function meaningOf(name: string): string {
	const meaning = findFieldMeaning(name);
	return meaning === undefined ? 'none' : `${meaning.field}, ${meaning.isSure ? 'sure' : 'in context'}`;
}

test('a number in English', sure, 'number', 'Card No.', 'CC Number', 'card_num', 'CCNumber', 'Card #', 'CARDNUMBER');
test('a number in German', sure, 'number', 'Kartennummer', 'Kreditkarten-Nr.', 'KartenNr', 'KK-Nr', 'Nummer der Karte');
test(
	'a number in French',
	sure,
	'number',
	'Numéro de carte',
	'N° carte',
	'NUMERODECARTE',
	'numéro de la carte bancaire',
);
test('a number in Spanish', sure, 'number', 'Número de tarjeta', 'Nº tarjeta', 'nro_tarjeta_credito', 'Núm. Tarjeta');
test('a number in Italian', sure, 'number', 'Numero carta', 'N. carta', 'Numero della carta di credito');
test('a number in Portuguese', sure, 'number', 'Número do cartão', 'N.º do cartão', 'numero_cartao_credito');
test(
	'a number in Dutch, Danish, Norwegian, Swedish and Polish',
	sure,
	'number',
	...[
		'Kaartnummer',
		'Creditcardnummer',
		'Nummer van kaart',
		'Kortnummer',
		'Kreditkortnr',
		'Kredittkort nr',
		'Numer karty',
	],
);
test(
	'an expiry in these languages',
	inContext,
	'expiry',
	...[
		'Vervaldatum',
		'Geldig tot',
		'Udløbsdato',
		'Utløpsdato',
		'Utgångsdatum',
		'Giltig till',
		'Gyldig til',
		'Data ważności',
	],
);
test(
	'a security code in these languages',
	sure,
	'cvv',
	...['Beveiligingscode', 'Sikkerhedskode', 'Sikkerhetskode', 'Säkerhetskod', 'Kod bezpieczeństwa'],
);
test(
	'a security code by its place or length',
	sure,
	'cvv',
	'Back Code',
	'3 Digit Code',
	'Signature Code',
	'Code on back',
);
test('a holder in these languages', sure, 'name', 'Kaarthouder', 'Naam op kaart', 'Kortinnehavare', 'Posiadacza karty');
test(
	'a card of a customer or member in these languages',
	no,
	...['Klantenkaartnummer', 'Kundekort nr', 'Medlemskort', 'Gavekort nummer', 'Körkortsnummer', 'Kort beskrivning'],
);
test(
	'somebody’s number',
	sure,
	'number',
	'Guest Card Number',
	'Payment CC No',
	'Card Number 2',
	'card_1_number',
	'vccNumber',
	'Company Card Number',
	'Company Credit Card No.',
);
test('the type of a company’s card', sure, 'type', 'Card Company', 'Company Card Type', 'Credit Card Vendor');
test('an account of a card', sure, 'number', 'BTA Account Number', 'Cardmember Account Number', 'PAN', 'FOP Number');
test(
	'a word for a card',
	inContext,
	'number',
	'Card',
	'Tarjeta',
	'Carta',
	'Credit Card',
	'cartao',
	'Number',
	'AcctNbr',
);
test('a masked number', inContext, 'number', 'Masked Card Number', 'Card Number (masked)', 'encrypted_card_number');

test(
	'an expiry that names the card',
	sure,
	'expiry',
	'Card Expiry',
	'cc_exp',
	'CrdExpDt',
	'Card 1 Expiry',
	'Card valid until',
);
test(
	'an expiry',
	inContext,
	'expiry',
	'Expiry Date',
	'Exp. Date',
	'expirationDate',
	'Valid Thru',
	'Exp MM/YY',
	'Exp (MMYY)',
);
test('an expiry in German', inContext, 'expiry', 'Gültig bis', 'Gueltig bis', 'Ablaufdatum', 'Verfallsdatum');
test('an expiry in French', inContext, 'expiry', "Date d'expiration", 'Date de validité', 'Fin de validité');
test('an expiry in Spanish', inContext, 'expiry', 'Fecha de caducidad', 'Vencimiento', 'Válida hasta');
test('an expiry in Italian', inContext, 'expiry', 'Scadenza', 'Data di scadenza', 'Valida fino a');
test('an expiry in Portuguese', inContext, 'expiry', 'Validade', 'Data de validade', 'Vencimento');
test(
	'a month',
	inContext,
	'month',
	'ExpirationMonth',
	'exp_mm',
	'Ablaufmonat',
	'Mois d’expiration',
	'Mes de caducidad',
);
test('a year', inContext, 'year', 'ExpYear', 'expiry_yy', 'Ablaufjahr', 'Année d’expiration', 'Año de caducidad');
test('a month or year of a card', sure, 'month', 'cc_exp_month', 'CardExpiryMM', 'card expiry month');

test(
	'a month, whose letter may be glued to the expiry,',
	inContext,
	'month',
	...['expm', 'ExpM', 'exp_m', 'EXPMM', 'ExpMth', 'expmo', 'expirym'],
);
test('a year of the same kind', inContext, 'year', 'expy', 'exp_yy', 'EXPYR', 'expyyyy');
test('month and year of a card by one letter', sure, 'month', 'card_expm', 'ccexpm', 'cc_exp_mth', 'vccExpM');
test(
	'an account in every abbreviation',
	sure,
	'number',
	'Billing Acct No',
	'CM Acct No',
	'Card Acc No',
	'BTA Accnt Nbr',
);
test('an identifier of a schema', sure, 'number', 'PrimaryAccountNumberID', 'pan_id', 'CardNumberID');
test('an identifier that may be the number', inContext, 'number', 'CardID', 'card_id', 'payment_card_id', 'cc_id');
test(
	'an identifier of another thing',
	no,
	'Cardholder ID',
	'CardTypeID',
	'Loyalty Card ID',
	'ID card',
	'MaskedCardID',
	'ID',
);
test('names of ISO 20022 and UBL', sure, 'cvv', 'CSCVal', 'CardSctyCd', 'SecurityCd', 'CV2ID', 'CMID');
test(
	'a CVV',
	sure,
	'cvv',
	'CVV2',
	'CVV Code',
	'CVC',
	'CID',
	'CSC',
	'Security Code',
	'CardVerification',
	'cc-csc',
	'CCV',
);
test('a CVV in German', sure, 'cvv', 'Prüfziffer', 'Pruefziffer', 'Kartenprüfnummer', 'Sicherheitscode');
test('a CVV in French', sure, 'cvv', 'Cryptogramme', 'Cryptogramme visuel', 'Code de sécurité');
test('a CVV in Spanish', sure, 'cvv', 'Código de seguridad', 'codigo_seguridad', 'CVV tarjeta');
test('a CVV in Italian', sure, 'cvv', 'Codice di sicurezza', 'Codice sicurezza carta');
test('a CVV in Portuguese', sure, 'cvv', 'Código de segurança', 'codigoSeguranca');
test('a CVV by the name of a verification', inContext, 'cvv', 'Verification Code', 'verification_value');

test('a type', sure, 'type', 'Card Type', 'Kartenart', 'Tipo de tarjeta', 'Type de carte', 'card_brand', 'CC Type');
test(
	'a holder',
	sure,
	'name',
	'Cardholder Name',
	'Name on Card',
	'Karteninhaber',
	'Nome no cartão',
	'Titular de la tarjeta',
);

test('another thing called card', no, 'Loyalty Card Number', 'Frequent Flyer Card No', 'Gift card', 'ID card number');
test(
	'another card in French and German',
	no,
	'Carte de fidélité',
	"Carte d'identité",
	'Kundenkartennummer',
	'BahnCard Nr',
);
test(
	'another number',
	no,
	'Passport Number',
	'Tracking number',
	'Voucher code',
	'Invoice No',
	'Buchungsnummer',
	'Lfd. Nr.',
);
test('another expiry', no, 'Passport expiry', 'Ticket Expiry Date', 'Valid From', 'Option expiry');
test(
	'what is said of a card',
	no,
	'CVV Result',
	'cvc_check',
	'Card Last 4',
	'Card Approval Code',
	'Card Transaction Number',
);
test('a name that only begins like one', no, 'Cardinal', 'Notes', 'Expectations', 'Named', 'Cvvx9', '', '—', '2029');

test('an ordinal behind CVV2 is that of the card, not the digit of the name', (t) => {
	t.is(readFieldName('CAV2 2')?.stem, '2');
	t.is(readFieldName('cvc2_1')?.stem, '1');
	t.is(readFieldName('Card CVV2 code 2')?.stem, '2');
	t.is(readFieldName('CVV 2')?.stem, '2');
});

test('words that say whose card it is are its stem', (t) => {
	t.is(readFieldName('Guest Card Number')?.stem, 'guest');
	t.is(readFieldName('Guest CVV')?.stem, 'guest');
	t.is(readFieldName('Second card number')?.stem, readFieldName('Card Expiry 2')?.stem);
	t.is(readFieldName('Billing Account Number')?.stem, readFieldName('Billing Expiry Date')?.stem);
	t.like(readFieldName('Option Expiry'), { stem: 'option', isForeign: true });
});

test('case, blanks, punctuation and accents mean nothing, whatever the name', (t) => {
	const words = fc.constantFrom('card', 'number', 'expiry', 'date', 'cvv', 'karte', 'gültig', 'bis', 'numéro', 'guest');
	const ways = fc.constantFrom<(words: string[]) => string>(
		(list) => list.join(' '),
		(list) => list.join('_'),
		(list) => list.join('-').toUpperCase(),
		(list) => list.map((word) => word[0].toUpperCase() + word.slice(1)).join(''),
		(list) => list.join('. ').normalize('NFD'),
	);
	fc.assert(
		fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), ways, (list, way) => {
			const plain = list.join(' ');
			if (foldFieldName(plain) !== foldFieldName(way(list))) throw new Error(`${way(list)} folds otherwise`);
			if (meaningOf(plain) !== meaningOf(way(list))) throw new Error(`${way(list)} means another thing`);
		}),
	);
	t.pass();
});

test('no name throws, however strange', (t) => {
	fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (name) => void findFieldMeaning(name)));
	t.pass();
});
