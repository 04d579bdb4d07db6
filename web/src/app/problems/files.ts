// Problems of files.

import { texts } from "../language";

export const fileProblems = texts({
  takes_no_files: ["This agent does not accept files.", "Dieser Agent sieht sich keine Dateien an."],
  too_many_files: ["That are too many files.", "Das sind zu viele Dateien."],
  empty_file: ["There is no text and no table in this file.", "In dieser Datei ist weder Text noch eine Tabelle."],
  not_a_table: ["This file holds no table.", "Diese Datei enthält keine Tabelle."],
  damaged_file: [
    "This file is damaged. Get it once more, or save it anew.",
    "Diese Datei ist beschädigt. Laden Sie sie noch einmal, oder speichern Sie sie neu.",
  ],
  protected_file: [
    "This file is protected by a password. Save it without one.",
    "Diese Datei ist mit einem Passwort geschützt. Speichern Sie sie ohne Passwort.",
  ],
  several_files: [
    "There are several files in this one. Unpack it, and give the one that matters.",
    "In dieser Datei stecken mehrere. Entpacken Sie sie, und geben Sie die, auf die es ankommt.",
  ],
  zip_bomb: [
    "This file unpacks to far more than it should. If you trust it, unpack it yourself.",
    "Diese Datei entpackt sich zu weit mehr, als sie sollte. Vertrauen Sie ihr, entpacken Sie sie selbst.",
  ],
  // For these codes the service's text names the kind of file, in English.
  unknown_format: [
    "",
    "Aus solchen Dateien wird hier nichts gelesen. Speichern Sie den Inhalt in einem anderen Format, etwa als CSV, Excel oder PDF.",
  ],
  image_file: ["", "Das ist ein Bild, in dem kein Text zu lesen ist. Geben Sie es als Bild."],
  not_an_image: ["", "Diese Datei lässt sich nicht als Bild lesen."],
  missing_file: ["", "Diese Datei gibt es nicht."],
  not_a_file: ["", "Das ist keine Datei."],
  unreadable_file: ["", "Diese Datei ist nicht lesbar. Sehen Sie nach ihren Rechten und der Festplatte."],
  changed_file: ["", "Diese Datei änderte sich, während sie gelesen wurde. Versuchen Sie es noch einmal."],
  out_of_time: ["", "Diese Datei zu lesen dauert zu lange. Geben Sie einen Teil davon."],
  out_of_memory: ["", "Diese Datei zu lesen braucht zu viel Speicher. Geben Sie einen Teil davon."],
  files_unavailable: ["", "Dateien lassen sich hier nicht lesen. Mehr sagt `graphwright doctor`."],
  too_large: ["There is too much in this file.", "In dieser Datei ist zu viel."],
});
