/** Every word of a printed receipt, in each language of the person's page. */

export interface ReceiptWords {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  readonly title: string;
  readonly languages: string;
  readonly session: string;
  readonly state: string;
  readonly version: string;
  readonly begun: string;
  readonly submitted: string;
  readonly ended: string;
  readonly by: (time: string, who: string) => string;
  readonly kinds: Readonly<Record<string, string>>;
  readonly unknown: string;
  readonly yourPart: string;
  readonly whatYouDid: string;
  readonly time: string;
  readonly versionAfter: string;
  readonly filled: string;
  readonly field: string;
  readonly value: string;
  readonly filledBy: string;
  readonly private: (hash: string) => string;
  readonly files: string;
  readonly approvals: (given: number, needed: number) => string;
  readonly ofVersion: (version: number) => string;
  readonly identity: (subject: string, issuer: string) => string;
  readonly proof: string;
  readonly upTo: string;
  readonly chain: string;
  readonly signed: string;
  readonly withKey: (time: string, key: string) => string;
  readonly signature: string;
  readonly keys: string;
  readonly address: string;
  /** How to check it: the sentence around `baton verify`, and the words of the link to the file. */
  readonly askForJson: string;
  readonly keep: string;
  readonly file: string;
  readonly andRun: string;
  readonly onTheFile: string;
}

const en: ReceiptWords = {
  language: "English",
  direction: "ltr",
  title: "Receipt",
  languages: "Language",
  session: "Session",
  state: "State",
  version: "Version",
  begun: "Begun",
  submitted: "Submitted",
  ended: "Ended",
  by: (time, who) => `${time} by ${who}`,
  kinds: { agent: "agent", human: "human", system: "system" },
  unknown: "unknown",
  yourPart: "Your part",
  whatYouDid: "What you did",
  time: "Time (UTC)",
  versionAfter: "Version after it",
  filled: "What was filled in",
  field: "Field",
  value: "Value",
  filledBy: "By",
  private: (hash) => `Private. Hash: ${hash}`,
  files: "Files",
  approvals: (given, needed) => `Approvals: ${given} of ${needed} needed`,
  ofVersion: (version) => `version ${version}`,
  identity: (subject, issuer) => `${subject} at ${issuer}`,
  proof: "Proof",
  upTo: "Log up to event",
  chain: "Chain",
  signed: "Signed",
  withKey: (time, key) => `${time} UTC with the key ${key}`,
  signature: "Signature",
  keys: "Public keys",
  address: "Address",
  askForJson: "To check this receipt, ask for it as JSON at the address above and run ",
  keep: "To check this receipt, keep ",
  file: "its file",
  andRun: " and run ",
  onTheFile: " on the file.",
};

const es: ReceiptWords = {
  language: "Español",
  direction: "ltr",
  title: "Recibo",
  languages: "Idioma",
  session: "Sesión",
  state: "Estado",
  version: "Versión",
  begun: "Comenzado",
  submitted: "Enviado",
  ended: "Terminado",
  by: (time, who) => `${time} por ${who}`,
  kinds: { agent: "agente", human: "persona", system: "sistema" },
  unknown: "desconocido",
  yourPart: "Su parte",
  whatYouDid: "Lo que usted hizo",
  time: "Hora (UTC)",
  versionAfter: "Versión después",
  filled: "Lo que se rellenó",
  field: "Campo",
  value: "Valor",
  filledBy: "Por",
  private: (hash) => `Privado. Hash: ${hash}`,
  files: "Archivos",
  approvals: (given, needed) => `Aprobaciones: ${given} de ${needed} necesarias`,
  ofVersion: (version) => `versión ${version}`,
  identity: (subject, issuer) => `${subject} en ${issuer}`,
  proof: "Prueba",
  upTo: "Registro hasta el evento",
  chain: "Cadena",
  signed: "Firmado",
  withKey: (time, key) => `${time} UTC con la clave ${key}`,
  signature: "Firma",
  keys: "Claves públicas",
  address: "Dirección",
  askForJson: "Para comprobar este recibo, pídalo como JSON en la dirección de arriba y ejecute ",
  keep: "Para comprobar este recibo, guarde ",
  file: "su archivo",
  andRun: " y ejecute ",
  onTheFile: " con el archivo.",
};

const de: ReceiptWords = {
  language: "Deutsch",
  direction: "ltr",
  title: "Quittung",
  languages: "Sprache",
  session: "Sitzung",
  state: "Stand",
  version: "Fassung",
  begun: "Begonnen",
  submitted: "Abgesendet",
  ended: "Beendet",
  by: (time, who) => `${time} von ${who}`,
  kinds: { agent: "Agent", human: "Mensch", system: "System" },
  unknown: "unbekannt",
  yourPart: "Ihr Teil",
  whatYouDid: "Was Sie getan haben",
  time: "Zeit (UTC)",
  versionAfter: "Fassung danach",
  filled: "Was ausgefüllt wurde",
  field: "Feld",
  value: "Wert",
  filledBy: "Von",
  private: (hash) => `Vertraulich. Hash: ${hash}`,
  files: "Dateien",
  approvals: (given, needed) => `Genehmigungen: ${given} von ${needed} nötigen`,
  ofVersion: (version) => `Fassung ${version}`,
  identity: (subject, issuer) => `${subject} bei ${issuer}`,
  proof: "Nachweis",
  upTo: "Protokoll bis Ereignis",
  chain: "Kette",
  signed: "Unterschrieben",
  withKey: (time, key) => `${time} UTC mit dem Schlüssel ${key}`,
  signature: "Unterschrift",
  keys: "Öffentliche Schlüssel",
  address: "Adresse",
  askForJson:
    "Um diese Quittung zu prüfen, fordern Sie sie unter der Adresse oben als JSON an und starten Sie ",
  keep: "Um diese Quittung zu prüfen, speichern Sie ",
  file: "ihre Datei",
  andRun: " und starten Sie ",
  onTheFile: " mit der Datei.",
};

const ar: ReceiptWords = {
  language: "العربية",
  direction: "rtl",
  title: "إيصال",
  languages: "اللغة",
  session: "الجلسة",
  state: "الحالة",
  version: "الإصدار",
  begun: "بدأ",
  submitted: "أُرسل",
  ended: "انتهى",
  by: (time, who) => `${time} بواسطة ${who}`,
  kinds: { agent: "وكيل", human: "شخص", system: "النظام" },
  unknown: "غير معروف",
  yourPart: "ما يخصك",
  whatYouDid: "ما قمت به",
  time: "الوقت (UTC)",
  versionAfter: "الإصدار بعده",
  filled: "ما تم ملؤه",
  field: "الحقل",
  value: "القيمة",
  filledBy: "بواسطة",
  private: (hash) => `خاص. البصمة: ${hash}`,
  files: "الملفات",
  approvals: (given, needed) => `الموافقات: ${given} من ${needed} مطلوبة`,
  ofVersion: (version) => `الإصدار ${version}`,
  identity: (subject, issuer) => `${subject} لدى ${issuer}`,
  proof: "الإثبات",
  upTo: "السجل حتى الحدث",
  chain: "السلسلة",
  signed: "وُقّع",
  withKey: (time, key) => `${time} UTC بالمفتاح ${key}`,
  signature: "التوقيع",
  keys: "المفاتيح العامة",
  address: "العنوان",
  askForJson: "للتحقق من هذا الإيصال، اطلبه بصيغة JSON من العنوان أعلاه ثم شغّل ",
  keep: "للتحقق من هذا الإيصال، احفظ ",
  file: "ملفه",
  andRun: " ثم شغّل ",
  onTheFile: " على الملف.",
};

export const RECEIPT_WORDS = { en, es, de, ar } as const;
export type ReceiptLanguage = keyof typeof RECEIPT_WORDS;
