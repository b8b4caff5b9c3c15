// Lists what files of the trade call the fields of a card, in six languages, from OTA, NDC and Amadeus schemas and from
// exports of hotel systems and payment providers. The list is for the referee alone: it is not the table that the scanners
// use, and must never become it, or the referee would share their blind spots.

/** The names of the fields in one language. */
interface Names {
	readonly number: readonly string[];
	readonly expiry: readonly string[];
	readonly month: readonly string[];
	readonly year: readonly string[];
	readonly cvv: readonly string[];
	readonly type: readonly string[];
	readonly holder: readonly string[];
	readonly remark: readonly string[];
}

const list = (names: string) => names.split('|');

/** The names of the fields in every language, as people and programs write them. */
export const NAMES: Record<string, Names> = {
	english: {
		number: list(
			'Card Number|CardNumber|Card No|Card No.|Card #|Card Num|CC Number|CC No.|CC#|CCNum|ccNumber|Credit Card|Credit Card Number|Credit Card No.|Credit Card #|CreditCardNo|Payment Card Number|Bank Card Number|Debit Card Number|PAN|Primary Account Number|card_number|card_num|cc-number|cc_num|VCC Number|Virtual Card Number|Card Account Number|Cardmember Account Number|BTA Account Number|FOP Number|CardNbr',
		),
		expiry: list(
			'Expiry|Expiry Date|Expiration|Expiration Date|Exp Date|Exp. Date|ExpDate|Exp|Expires|Valid Until|Valid Thru|Valid To|Card Expiry|Card Expiry Date|Card Expiration Date|CC Exp|CC Expiry|ccExpiry|cc-exp|Expire Date|CrdExpDt|card_exp',
		),
		month: list(
			'Expiration Month|ExpirationMonth|Expiry Month|Exp Month|exp_month|ccmonth|cc-exp-month|Card Exp Month',
		),
		year: list('Expiration Year|ExpirationYear|Expiry Year|Exp Year|exp_year|ccyear|cc-exp-year|Card Exp Year'),
		cvv: list(
			'CVV|CVC|CVV2|CVC2|CID|CSC|CVN|CVD|CAV2|CVV Code|CVC Code|CV2|Security Code|Card Security Code|CardSecurityCode|Card Verification|CardVerification|Card Verification Code|Card Verification Value|Card Verification Number|Verification Code|Verification Value|Series Code|SeriesCode|Security Number|Card CVV|CC CVV|cc_cvc|cc-csc|cvv2|cardCVV|Sec Code|CVV/CVC|CVV Number|Card Identification Number|Card ID Code|ccCvv|cardCvc',
		),
		type: list('Card Type|CardType|CC Type|Card Brand|Brand|Card Vendor|Card Network'),
		holder: list('Name On Card|Cardholder Name|Card Holder|Cardholder|CC Holder|Card Holder Name'),
		remark: list('Remarks|Notes|Comments|Special Requests|Guest Comment|Internal Note|Memo|Message'),
	},
	german: {
		number: list(
			'Kartennummer|Karten-Nr.|Kartennr|KartenNr|Kreditkartennummer|Kreditkarten-Nr.|Kreditkartennr.|Kreditkarte|KK-Nummer|KK-Nr.|Kreditkarten Nummer|Karten Nummer',
		),
		expiry: list(
			'Gültig bis|Gueltig bis|Ablaufdatum|Verfallsdatum|Verfall|Gültigkeit|Karte gültig bis|Kartenablauf|gültig',
		),
		month: list('Ablaufmonat|Gültig bis Monat|Verfallsmonat'),
		year: list('Ablaufjahr|Gültig bis Jahr|Verfallsjahr'),
		cvv: list(
			'Prüfziffer|Pruefziffer|Prüfnummer|Kartenprüfnummer|Kartenprüfziffer|Kartenpruefnummer|Sicherheitscode|Sicherheitsnummer|CVC-Code|Prüfcode|KPN|Kartenprüfcode',
		),
		type: list('Kartentyp|Kartenart|Kartenmarke'),
		holder: list('Karteninhaber|Name auf der Karte|Inhaber'),
		remark: list('Bemerkung|Bemerkungen|Notiz|Hinweis|Kommentar|Gästewunsch'),
	},
	french: {
		number: list(
			'Numéro de carte|Numero de carte|N° de carte|No de carte|Numéro de la carte|Numéro carte|Numéro de carte bancaire|Numéro CB|N° CB|Carte bancaire|Carte de crédit|Numéro de carte de crédit|Num carte|NumCarte|numero_carte',
		),
		expiry: list(
			"Date d'expiration|Expiration|Date expiration|Date de validité|Validité|Expire le|Fin de validité|Date de fin de validité|Exp. carte",
		),
		month: list("Mois d'expiration|Mois expiration"),
		year: list("Année d'expiration|Année expiration"),
		cvv: list(
			'Cryptogramme|Cryptogramme visuel|Code de sécurité|Code sécurité|Code securite|Code de vérification|Code CVV|Code CVC|Cryptogramme CB|Numéro de sécurité',
		),
		type: list('Type de carte|Type carte'),
		holder: list('Titulaire|Titulaire de la carte|Nom du porteur|Porteur'),
		remark: list('Remarque|Remarques|Commentaire|Commentaires|Observations|Note interne'),
	},
	spanish: {
		number: list(
			'Número de tarjeta|Numero de tarjeta|Nº tarjeta|Nº de tarjeta|Núm. tarjeta|Num. tarjeta|Tarjeta|Tarjeta de crédito|Número tarjeta|Número de tarjeta de crédito|NumTarjeta|numeroTarjeta',
		),
		expiry: list(
			'Fecha de caducidad|Caducidad|Fecha de vencimiento|Vencimiento|Válida hasta|Fecha caducidad|Fecha de expiración|Caducidad tarjeta',
		),
		month: list('Mes de caducidad|Mes caducidad|Mes de vencimiento'),
		year: list('Año de caducidad|Año caducidad|Año de vencimiento'),
		cvv: list(
			'Código de seguridad|Codigo de seguridad|Cód. seguridad|Código seguridad|Código CVV|Código de verificación|codigoSeguridad|Código CVC',
		),
		type: list('Tipo de tarjeta|Tipo tarjeta|Marca'),
		holder: list('Titular|Titular de la tarjeta|Nombre del titular'),
		remark: list('Observaciones|Comentarios|Notas|Peticiones|Comentario del cliente'),
	},
	italian: {
		number: list(
			'Numero carta|Numero di carta|Numero della carta|N. carta|Nr. carta|Numero carta di credito|Carta di credito|NumeroCarta|N° carta|Num. carta',
		),
		expiry: list('Scadenza|Data di scadenza|Data scadenza|Scadenza carta|Valida fino al|Data di scadenza carta'),
		month: list('Mese di scadenza|Mese scadenza'),
		year: list('Anno di scadenza|Anno scadenza'),
		cvv: list(
			'Codice di sicurezza|Codice sicurezza|Cod. sicurezza|Codice CVV|Codice di verifica|CodiceSicurezza|Codice CVC',
		),
		type: list('Tipo di carta|Tipo carta|Circuito'),
		holder: list('Intestatario|Titolare|Intestatario carta|Titolare della carta'),
		remark: list('Note|Osservazioni|Commenti|Richieste'),
	},
	portuguese: {
		number: list(
			'Número do cartão|Numero do cartao|Nº do cartão|Nº cartão|Cartão|Cartão de crédito|Número cartão|NumeroCartao|numero_cartao|Número do cartão de crédito',
		),
		expiry: list('Validade|Data de validade|Data de vencimento|Vencimento|Válido até|Validade do cartão|data_validade'),
		month: list('Mês de validade|Mês validade|ValidadeMes'),
		year: list('Ano de validade|Ano validade|ValidadeAno'),
		cvv: list(
			'Código de segurança|Codigo de seguranca|Cód. segurança|Código segurança|CodigoSeguranca|Código CVV|Código de verificação',
		),
		type: list('Bandeira|Tipo de cartão|Bandeira do cartão'),
		holder: list('Titular do cartão|Nome do titular|Nome no cartão|Portador'),
		remark: list('Observações|Comentários|Notas|Pedidos'),
	},
};

export const LANGUAGES = Object.keys(NAMES);

/** The names of columns and keys in which nobody would look for a number. */
export const UNLISTED_NUMBER_NAMES = list(
	'Payment|Payment Details|Zahlung|Guarantee|Garantie|Field17|UDF1|Info|Deposit|FOP|Form of Payment|Custom 3|Paid with|Instrument|Data|Zahlungsmittel|Moyen de paiement|Forma de pago|Pagamento|Text5|Ref2',
);

/** Names that tell a reader that the value is a CVV, although no list has them. */
export const TELLING_CVV_NAMES = list(
	'Guest CVV|CVV (3 digits)|Billing CVC|cvv_code_raw|CVV on back|Card CVV2 code|CVC/CVV Kunde|Kreditkarte CVC|CVV tarjeta|CVV carte|CVV cartão|CVV carta|vcc_cvc|Gast-CVC|Payment CVV|CVV Nr.',
);

/** The names of other columns and keys that stand beside a card. */
export const OTHER_NAMES = list(
	'Booking|PNR|Passenger|Hotel|Room|Check-in|Check-out|Amount|Currency|Ticket Number|Phone|IBAN|Frequent Flyer|E-Mail|Agency|Invoice|Nights|Status|Betrag|Montant|Importe|Betrag EUR|Reservierung|Réservation',
);
