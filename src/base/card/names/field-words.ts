// The vocabulary: the words by which people and systems name the fields of a card, in the languages of agencies' files. It
// serves names of fields (field-names.ts) and words in text (phrase.ts). `npm run generate:names` writes it into
// docs/formats/names.md.

import { plainLetters, WordTree } from './word-tree.ts';

/** Lists the kinds of words in a name. */
export const WORD_KINDS = [
	/** The word means a card. */
	'card',
	/** The word is recognised only together with `card`, and adds nothing to its meaning: credit, bancaire. */
	'cardKind',
	/** The word alone means a card number: PAN. */
	'pan',
	'number',
	'account',
	/** The word means a form of payment. Next to a number or an expiry it means a card. */
	'form',
	/** The word means the expiry of a card. */
	'expiry',
	/** The word means expiry only if the name also says card; otherwise it is the due date of an invoice. */
	'due',
	/** The word means expiry only next to a month or a year. */
	'valid',
	'date',
	/** The word means month and year in one: MMYY. */
	'monthYear',
	'month',
	'year',
	/** The word alone means a security code: CVV. */
	'cvv',
	/** The word means a security code together with `code`, `number` or `card`. */
	'security',
	/** The word means a security code together with `card`. With `code` alone it may belong to anything. */
	'verification',
	'code',
	'type',
	'holder',
	/** The word alone means the holder of a card. */
	'cardHolder',
	'name',
	'reference',
	/** The word only joins others: numéro de la carte. */
	'joint',
	/** The word says whose card it is, or which of several; the meaning stays the same. */
	'whose',
	/**
	 * The word says that the number is masked or encrypted. Such a column is used only if no other column has the
	 * number.
	 */
	'masked',
	/** The word means a part of the number: the last four digits. */
	'part',
	/**
	 * The word means something else that is called card, or a fact about the field: loyalty, result. A name with this
	 * word does not mean a card field.
	 */
	'not',
] as const;
export type WordKind = (typeof WORD_KINDS)[number];

/** These words of the kind `cvv` tell of a code only behind a card, and name no field. */
const WORDS_BEHIND_CARDS = `v-code sign-code sig-code ver-code veri-code geheim-code geheim-zahl code-visuel code-verso
	codice-segreto codigo-de-control check-code check-digit check-digits control-code control-number prüf-z
	last-3 last-3-digits last-three last-three-digits three-digits drei-ziffern letzte-ziffern letzten-ziffern
	letzte-3-ziffern letzten-3-ziffern letzte-drei-ziffern letzten-drei-ziffern trois-chiffres derniers-chiffres
	trois-derniers-chiffres tres-digitos ultimos-digitos ultimos-3-digitos ultimos-tres-digitos tres-ultimos-digitos
	tre-cifre ultime-cifre ultime-3-cifre ultime-tre-cifre drie-cijfers laatste-cijfers laatste-3-cijfers
	laatste-drie-cijfers`;

/**
 * Lists the words by kind. A letter with an umlaut also matches its spelling with e, `account` also `acct` and `accnt`. A
 * hyphen shows where a blank or sign may divide a word in text.
 */
export const FIELD_WORDS: Readonly<Record<WordKind, string>> = {
	card: `card crd ccard cc vcc creditcard debitcard bankcard cm cmaccount bta btaaccount lodgeaccount ghostaccount
		billingaccount basicaccount karte karten kreditkarte kreditkarten kk carte cb tarjeta tarj tdc carta cartao kaart
		creditkaart uatp airplus amex mastercard diners kort kortet kreditkort kredittkort betalingskort betaalkaart karty
		karta`,
	cardKind: `credit debit payment pmt bank virtual charge cr plastic kredit zahlungs zahlung ec giro bancaire bleue credito
		paiement bancaria bancario pago pagamento debito purchasing procurement corporate ghost lodge`,
	pan: 'pan ccn vcn dpan fpan primaryaccountnumber primaryaccount',
	number: 'number numbers numb numbr nmbr nbr nb num nummer nr nro no n numero numer getal',
	account: 'account acc',
	form: 'fop formofpayment',
	expiry: `expiry expiration expiratn expirat expir expire expires expiring ed exp expdt expdte expdate expirydate expn
		expr exd xpry valid-thru valid-through valid-until valid-till valid-to validity good-thru good-through good-till
		gültig gültigkeit gültigkeits ablauf ablaufs verfall verfalls dexpiration validite fin-de-validite fin-validite
		expire-fin expire-le valable-jusquau valable-jusqua fecha-cad caducidad caduca vencimiento vencto vence venc vto
		valida-hasta valido-hasta expiracion expira scadenza scade scad valida-fino-al valido-fino-al valida-fino-a
		valida-fino validita validade vencimento valido-ate valida-ate expiracao verval geldig-tot geldigheids udløbs
		utløps utgangs giltig-till giltig-tom giltighets gyldig-til gyldighets gyldigheds waznosci wazna-do`,
	due: 'echeance decheance cad',
	valid: 'valid',
	date: 'date dt dte datum fecha fec f data dato',
	monthYear: 'mmyy mmyyyy mmaa mmaaaa mmjj mmjjjj yymm yyyymm',
	month: 'month mm mo mon mth mnth monat monats mois mes mese m maand maned manad miesiac',
	year: 'year yy yyyy yr jahr annee an ano anno aa aaaa jj jjjj y jaar rok',
	cvv: `cvv cvc csc cvn cvd cav ccv cvx cid cmid cvvc cvv2 cvc2 cvn2 cav2 ccv2 cv2 cvnumber cvnum cvno cvnr cvcode dbc
		card-code-value card-id-code card-pin kpn series-code prüf-ziffer prüf-ziffern prüf-nr prüf-nummer prüf-code prüf-zahl
		crypto cryptogramme cryptogramme-visuel criptograma karten-code card-check-code card-check-number
		card-check-value signature-panel signature-code cve prz back-code code-on-back digits-on-back reverse-code secode
		digit-code cvvn spc cvd2 ccvv icvv dcvv cvvs cw cw2 cryptogram cryptograme crypto-visuel kpz pz ${WORDS_BEHIND_CARDS}`,
	security: `security secu securitate securite seguridad sicurezza seguranca sicherheits sec scty seg beveiligings veiligheids sikkerheds sikkerhets
		sakerhets bezpieczenstwa zabezpieczajacy bezpecnostni biztonsagi guvenlik turva sich sic`,
	verification: `verification verif validation identification authentication verifikations verificacion verificacao verifica verificador verificatie controle
		verifizierungs controllo kontroll kontrol validacion validacao validazione convalida`,
	code: 'code cd codigo cod codice cde clave value val valeur valor digit digits digito digitos cifras cifre chiffres ziffer ziffern zahl kode kod siffer cijfer kodu koodi',
	type: `type typ art brand network scheme vendor company gesellschaft tipo marca marque bandeira circuito reseau
		association
		soort`,
	holder: `holder holders owner inhaber titulaire titular titolare intestatario porteur portador bearer embossed
		houder innehavare innehaver indehaver posiadacza`,
	cardHolder: 'cardmember',
	name: 'name names nm nom nombre nome naam namn navn',
	reference: 'reference ref referenz referencia riferimento',
	joint: `a x at of on the for de dela del della dello di da do dos das du d la le les l el au auf der des zur im sur en sulla
		su al bis zum
		van op`,
	whose: `guest payer billing customer cust client traveller traveler passenger pax booking reservation deposit
		guarantee primary secondary main personal travel agency employee original originating new old stored full clear plain
		raw decrypted unmasked complete first second third 1st 2nd 3rd backup alternate default settlement effective orig bill gast kunde
		kunden reise firmen haupt voyageur cliente huesped viajero ospite hospede reserva`,
	masked: `masked mask truncated obfuscated hidden encrypted hashed hash tokenized tokenised token maskiert maskierte
		masque masquee enmascarado enmascarada mascherato mascherata mascarado mascarada partial redacted`,
	part: 'last4 first6 first4 4digits 6digits lastfour firstsix last4digits first6digits',
	not: `loyalty frequent flyer flier ff ffp ffn mileage miles bonus bonuskarte reward rewards member membership club gift
		geschenk cadeau regalo voucher gutschein coupon promo discount rail bahn id identity identitycard identificationcard
		ausweis personalausweis identite didentite identidad identita didentita identidade passport reisepass passeport
		pasaporte passaporto passaporte license licence driver driving führerschein permis sim phone telephone tel mobile fax
		cell calling key room zimmer access boarding bordkarte embarque embarquement dembarquement imbarco dimbarco health
		insurance kranken krankenkasse versicherung sante vitale seguro student library resident residence green grise social
		sociale sozial tax vat steuer iban bic swift ledger points punkte kundenkarte kundenkarten fidelite fidelidad
		fidelizacion fedelta fidelidade socio membre mitglied mitglieds vielflieger meilen millas frecuente result response
		resp match matched status indicator ind flag present provided required requested reason message msg error count
		attempts enabled reply verified validated available received captured has is with without send missing check last
		bin iin prefix suffix length email mail address zip postal postcode country city state reader terminal sequence from
		alert reminder vaccination meal transit metro oyster punch score rate report post memory sound graphics
		kundekort kundkort medlemskort bonuskort gavekort presentkort korkort førerkort klantenkaart klantkaart spaarkaart cadeaukaart rijbewijs identiteitskaart`,
};

/** These words are so short that they are recognised only if they stand alone, like the n of `N° carte`. */
export const LONE_WORDS: ReadonlySet<string> = new Set(
	'a x n m y d l f ed an aa al su im au el le ec cr cad ff cm is op van rok acc cd nb sic cw pz at'.split(' '),
);
/**
 * These words of the kind `cvv` mean other things too, such as an airline's code or a customer. In text they count only
 * right behind a card.
 */
export const COMMON_WORDS: ReadonlySet<string> = wordsOf(
	`cid csc cmid cav cvx cv2 dbc kpn crypto cve prz spc cw cw2 kpz pz ${WORDS_BEHIND_CARDS}`,
);
/** These of them mean no field of a card at all: a column `Check Digit` is that of a ticket number. */
export const WORDS_OF_TEXT: ReadonlySet<string> = wordsOf(`spc cw cw2 kpz pz ${WORDS_BEHIND_CARDS}`);

/** The value of a word in `VOCABULARY` is the place of its kind in `WORD_KINDS`, from 1 on, with these marks. */
export const KIND_BITS = 0x1f;
export const LONE = 0x20;
/** A blank or sign may follow here, although no word may have ended. */
export const OPEN = 0x40;
export const COMMON = 0x80;

/** Returns the words of a kind, in every spelling that `VOCABULARY` has, with their hyphens. */
export function spellingsOf(kind: WordKind): string[] {
	return FIELD_WORDS[kind].split(/\s+/).flatMap((word) => {
		const umlauts = word.replace(/[äöüø]/g, (letter) => `${letter}e`);
		const accounts = ['account', 'acct', 'accnt'].map((account) => word.replace('account', account));
		return [...new Set([...new Set([word, umlauts, ...accounts])].map(plainLetters))];
	});
}

export const VOCABULARY = new WordTree(valuesOfWords());

/** Returns the words of a list, each as one word. */
function wordsOf(list: string): Set<string> {
	return new Set(list.replaceAll('-', '').split(/\s+/));
}

function valuesOfWords(): Map<string, number> {
	const values = new Map<string, number>();
	for (const [index, kind] of WORD_KINDS.entries()) {
		for (const spelling of spellingsOf(kind)) {
			const word = spelling.replaceAll('-', '');
			const marks = (LONE_WORDS.has(word) ? LONE : 0) | (COMMON_WORDS.has(word) ? COMMON : 0);
			const known = values.get(word) ?? 0;
			if ((known & KIND_BITS) === 0) values.set(word, known | (index + 1) | marks);
			for (let at = spelling.indexOf('-'); at !== -1; at = spelling.indexOf('-', at + 1)) {
				const start = spelling.slice(0, at).replaceAll('-', '');
				values.set(start, (values.get(start) ?? 0) | OPEN);
			}
		}
	}
	return values;
}
