/*
 * Who is meant, in the languages that HR systems export: one vocabulary for headings and cells, of stems as fold() writes
 * them. `_` is the space before, between and after words, so `_offer_$` is a last word. What is missing here is not lost:
 * the plan shows what the columns say, and with --yes a status must be named.
 */

/** Not to be invited. */
const NO = stems(`
  _rejected_ ^_rejects?_ _reject(ion)?_(reason|date|mail|e_?mail|sent|code|on|at|by)_ _(reject|rejection)_$ _decline[ds]?_(?!to_) _declination_ _withdr[ae]w _(un|dis|under|over)_?qualif _ineligible _unsuitable_ _inactive_$ unsubscri ^_unsub_ _(never|not|non)_subscribed_ _opt(ed|ing|s)?_?out _dn[ch]_ _bla?o?ck_?list _suspended_(on|at|until|till|by|reason|$) _suspension_(date|reason|$) ^_exclu(de|ded|sion)_$ _(is|be)_excluded_ _exclude_from_ _exclusion_(reason|date)_ _revo(ked|cation)_ _bounced?_ _deceased_ _passed_away_ ^_died_ _date_of_death_ _erased_ _gdpr_(delet|remov|eras) _anonymi[sz]ed_
  _deactivated_ _on_hold_ turned_down _(knocked|screened|dropped|pulled|backed)_out_ _lost_interest_ _(accepted|took)_(another|an_?other|a_different)_(offer|job|role|position)_ _dq_?d?_$ _denied_ _ghosted_ right_to_be_forgotten _(deletion|erasure|removal|refund|termination|leaving|exit|deactivation)_(request|date|reason) _(deletion|erasure)_on_ _regret(ted)?_ _objected_ _objection_(to_|date|_$) _removed?_((me|him|her|them)_)?from_(the_|our_|this_|all_)?(mail|list|process|pool|program|course|round|consider|data|crm|system|campaign) _asked_to_be_(removed|deleted) _(please|to_be|must_be)_(deleted?|removed?|erased?)_ _off_limits_ _eliminated_ _suppression_list_ _reason_(for_)?not_ _leave_((him|her|them)_)?alone_ _leave_([^_]+_){1,2}out_ _asked_(us_)?(not_to|to_stop) ^_parked_ _(legal|litigation)_hold_ _(un|not_|non_)deliverable_ _(invalid|wrong|incorrect)_(e_?mail|address)_ _mailbox_full_ _spam_complain _(marked|reported)_(e_?mail_)?as_spam_ _do_not_allow_$ _blocked_(until|since|on)_ _do(es|_?e?s)?n?_?(not|t)_meet_ _did_?n?_?(not|t)_meet_ _consent_(was_|is_|has_)?(not_given|expired|missing|refused|withdrawn|lapsed)_ _(without|expired)_consent_ _failed_(screen|background|phone) _disposition(ed)?_reason
  _(do_?(es_)?(not|nt)|dont|don_t|doesn_t|never|please_not|must_not_be|stop)_((want|wish)_(to_)?)?(to_|be_|longer_|a_|re_?)*(contact|invit|e?_?mail|hir(e|ing)_|send_|consider|approach|interested|proceed|advance|reach_out|test_|assess_|write|message_|disturb|participat|take_(the_|a_|this_)?(test|assess|quiz)|call_(?!before|after|during|at_|on_|between)) _no_(longer_|further_|more_)?(contact|e?_?mails?_(?!before|after)|interest|invit|invites?_|re_?hire|hire_|consent|thanks|thank_you|permission)
  _not_(to_be_|be_|longer_|currently_|a_|right_|the_right_)*(interested|eligible|selected|suitable|fit_|good_fit|match_|proceed|progress|moving|consider|qualif|consent|recommended|shortlisted|hire|advanc|pursu|successful|approved|accepted|passed_) _not_to_(be_)?(contact|invit|e?_?mail|call_|write|test_|approach|disturb) _do(es)?_?n?_(not|t)_(use|agree|accept|give|consent)_ _(says?|said|answered)_no_$ _(test|assessment)_(is_|was_)?waived_ _no_(test|assessment)_(needed|required|necessary)_ _exempt_from_(the_)?(test|assess)
  _(bad|poor|wrong)_fit_ _unsuccessful_ _opposed_to_ ^_([^_]+_)?([^_]+_)?(blocked|blocklisted|banned|suppressed|cancel+ed|hired|placed|no_show|failed|rescinded|deprovisioned|refunded|disapproved|vetoed|complained|anonymi[sz]ed|voided|cleaned|closed_lost|(position|requisition|req|job|vacancy)_(filled|closed)|process_ended|resigned|retired|terminated|dismissed|deleted|duplicate|invalid|removed|dropped|excluded|archived|disabled|expelled)_$
  ^_(no_go|skip|ignore|stop|ban|lost|fail|closed|spam|void|filled|junk|duplicate|duplicate_of|merged_into|dupe|delete|remove|paused|parked|quit_process|leaver|knockout|objection|hold|omit|leave_out|unfit|(left|former)_(the_)?(company|employee)|out|archive|gone_silent|dropped_out)_$ ^_archived?_(at|on|by|date|reason)_ ^_archived_ ^_deleted_ ^_cancel+ed_by_ ^_duplicate_(record|candidate|profile|contact|entry|application|account)_ ^_left_(on|at|date)_ _last_day_(at|of|in)_ _donot(contact|e?mail|invite|call|hire)_ _unenrolled_ ^_(junk|fake|bot|test)_(candidate|profile|account|record|contact|user)_ ^_clean(ed)?_(time|date|at|campaign) ^_((lost|closed|knockout|removal)_(reason|time|date|at)|(terminated|resigned|refunded|cancel+ed|deactivated)_(on|at|date)|last_working_day|date_of_(termination|leaving|exit))_$ _date_(archived|rejected|hired|closed|deleted)_ _(hired|placed)_(on|at|date)_ ^_(skip|ignore|exclude|suppress)_(candidate|person|row|them|this|invite|from_.*)?_$ _(hired|placed|filled)_(by|elsewhere)_
  _absage[n]?_ _absage(grund|datum|am|mail) abgesagt abgelehnt ablehn zuru?e?ckgezogen ^_ruckzug_ kontaktsperre _(zu|bitte)_(loschen|entfernen)_ ^_losch(en|ung|datum|kennzeichen)_ _loschung_(beantragt|verlangt|gewunscht) anonymisiert deaktiviert dublette duplikat_ ^_doppelt_$ unzustellbar ungultig_ _ungultige_ ^_(pausiert|erstattet|abbruch|raus|verst|austritt)_$ _austrittsdatum_ _kundigungsdatum_ _sterbedatum_ _auf_eis_ _schwarze_liste_ _ohne_(einwilligung|zustimmung)_ _(einwilligung|zustimmung)_(fehlt|abgelaufen)_ _uberqualifiz _passt_nicht_ _finger_weg_ _nimmt_nicht_teil_ _nicht_mehr_ansprech _mochte_(nicht_mehr|keine_(mails|e_mails|nachricht))_ ^_ausschliessen_ ausgetragen _(ge)?sperrt?(e|ung|vermerk|liste|datum|grund|kennzeichen)?_ widerruf widerspr abgemeldet abmeldung ausgeschlossen ausgeschieden archiviert geloscht _gekundigt_ _inaktiv_ ungeeignet nicht_einverstanden verstorben abgebrochen storniert verweigert disqualif _blockiert
  _keine?n?_(weiteren?_)?(kontakt|interesse|e_?mail|einladung|werbung|einwillig|zustimm|zusage|anschreib|mails?_|test_|nachricht|bewerber_mehr) _nicht_(mehr_)?(zu_)?(kontakt|einlad|einzulad|anschreib|e_?mail|send|geeignet|interess|anrufen|beruecks|berucks|weiter|erwunscht|erlaubt|passend|erschienen|bestanden|freigegeben|zustellbar|gestattet|zustimm|zugestimmt|eingewilligt|qualif) _nein_danke_ zuruckgestellt _eingestellt_$ _stelle_besetzt_ ausgetreten abgang_$ _durchgefallen_
  _refus _rejet _ecarte desist desinscri desabonn _exclue?s?_ _bloquee?_ _annul(e|ee|ation)_ _retiree?_$ non_retenu pas_retenu sans_suite _pas_interess plus_interess _ne_((veut|souhaite|desire|doit)_)?(pas|plus)_ _n_est_(pas|plus)_ _pas_(apte|eligible|d_accord|donne_suite) _archivee?s?_$ _decedee?_ _supprimee?_ _inacti(f|ve)_ inapte ineligible liste_noire ^_(a_)?(abandon|abandonnee?|recrutee?|clos|cloturee?|echec|echouee?)_$ _poste_pourvu_ _abandon_du_ _defavorable_$ _doublon_ _a_supprimer_ _(demande|attente)_de_suppression_ _droit_a_l_oubli_ _effacee?_$ anonymisee?_$ desactivee?_$ _suspendue?_$ _invalide_$ _eliminee?_$ _inadequat_ _hors_profil_ _licenciee?_$ _demission _a_quitte_ ^_(en_pause|en_suspens|sortie?|partie?)_$ _remboursee?_$ _n_accepte_pas_ _pas_(souhait|consent) ^_exclure_$ ^_archivee?_le_ date_de_(depart|sortie)_ _non_(merci|eligible|consent|admis|abouti|conforme) _embauchee?_$ _opposition_ s_oppose _declinee_ _ajournee?_ _retrait_
  rechaz descart _baja_(?!california) _retirad[oa]_ _excluid _suspendid _revocad descalif _cancelad _bloquead _inactiv[oa]_ _eliminad[oa]_ _anulad _archivad _denegad lista_negra _fallecid _contratad[oa]_$ no_gracias ^_no_le_interesa _no_se_(le|la|lo)_contact _ya_no_esta_ _se_retiro_ _declin(o|ad[oa])_ _duplicad[oa]_$ _desactivad[oa]_ _borrad[oa]_$ _anonimizad[oa]_ ^_(vacante_|puesto_|proceso_)?(cerrad|cubiert)[oa]_$ _rebotad[oa]_ _invalid[oa]_$ _sin_consentimiento_ ^_en_(pausa|espera)_$ _reembolsad _fuera_de_proceso_ _jubilad[oa]_$ _expulsad ^_excluir_$ _fecha_de_(cancelacion|baja|rechazo)_ _oposicion _no_(contact|invit|envi|apt[oa]|interes|selecc|continu|desea|quiere|proced|elegible|acept|autoriz|consient|viable|present|llamar|molest|cumple|escrib|pas[oa]_|califica|supera|asisti|es_apt) ^_renunci _despedid no_me_interesa
  rifiut _scartat ritirat _esclus respint _bloccat disiscri _sospes squalific _annullat _archiviat _cancellat bocciat _inattiv _revocat _decedut _assunt[oa]_$ _rinunci _declinat[oa]_ _duplicat[oa]_$ _lista_nera_ _disattivat _eliminat[oa]_$ _da_(eliminare|cancellare)_ ^_(posizione_)?chius[oa]_$ _(nessun|senza)_consenso_ _non_valid[oa]_ rimborsat ^_(in_pausa|licenziat[oa]|dimess[oa]|dimissionari[oa]|pensionat[oa]|oscurat[oa]|escludi|escludere)_$ _in_attesa_di_cancellazione_ _motivo_(dello_scarto|scarto)_ _data_(di_)?cessazione_ no_grazie _non_(contatt|invit|invi|idone|interess|selez|ammess|proced|consent|acconsent|accett|adatt|autorizz|scriv|chiamare|piu|super|pass|present|qualif|ha_accett|desidera|vuole)
  reprova recusad recusou rejeitad descadastr desistiu desisten desclassif desqualif _suspens[oa] _inativ revogad _arquivad falecid _dispensad _declinou ^_inapt[oa]_ _(sem|nao_tem)_interesse_ _duplicad[oa]_$ _desativad ^_(vaga_)?(fechad|preenchid|encerrad)[oa]_$ _sem_consentimento_ ^_(demitid|desligad|aposentad|devolvid|apagad|anonimizad)[oa]_$ _data_(de_|do_)?desligamento_ reembolsad _motivo_da_recusa_ _motivo_(da|de)_reprova _negad[oa]_ _n[ao]o?_(ser_)?(contat|contact|convid|envi|apt[oa]|interess|selec|aprov|aceit|autoriz|quer|deseja|consent|perturb|prosseg|comparec|seguir|eleg|obrigad|atende|ligar|conco|classific|passou)
  afgewezen afwijz geweiger teruggetrok uitgesloten geblokk afgemeld uitgeschrev ingetrokken geannuleerd gediskw _inactief_ gearchiveerd _verwijderd_ overleden _aangenomen_$ bezwaar zwarte_lijst ongeschikt afgehaakt _vervallen_ gedeactiveerd _te_verwijderen_ ^_dubbel_$ _duplicaat_ ^_(vacature_|positie_)?(gesloten|vervuld)_$ _uit_dienst_ ^_ontslagen_$ _met_pensioen_ ongeldig terugbetaald _in_de_wacht_ geanonimiseerd _nee_(bedankt|dank) _ziet_ervan_af_ _heeft_bedankt_ _niet_(meer_)?(contact|benader|uitnodig|e_?mail|verstu|verzend|geschikt|geselecteerd|geinteress|interess|akkoord|bellen|toegest|passend|mailen|storen|aannemen|weer_|doorgaan|geslaagd|verschenen) _geen_(contact|interesse|e_?mail|toestemming|match|bezwaar_tegen|reclame)
  odrzuc odmow odmaw zrezygn rezygnac wycof anulow niezakwal niezainter zablokow czarna_lista nieaktyw usuniet zatrudnion_$ zatrudnion[ya]_$ zarchiw wykluczon cofni?et cofnieto sprzeciw wypisan dyskwalif nieodpowied niekontaktow ^_archiwum_$ _do_usuniecia_ ^_zmarl[ya]_$ _nie_(zyje|dziekuj) duplikat_ ^_(rekrutacja_)?zamkniet[aeyo]_$ _bledny_(e_?mail|adres)_ nieprawidlow ^_(zwolnion[ya]|wstrzyman[yae]|zawieszon[yae]|negatywn[yae]|odpadla?|zwrot)_$ zanonimiz _data_zwolnienia_ _brak_(zgody|zainter) _nie_(kontakt|wysyl|zaprasz|zainter|dzwon|wyraz|spelnia|przesz|zakwal|pisac|mail|zgadz|przyjet|zgod|rekrut|zda[lo]|stawi)
  zami(e)?t odmitn odmiet neprijat stazen stiahnut stiahl odstoup odstup vyrazen vyraden zrusen nekontakt neoslov nevhodn nezajem neaktivn odvolan odhlas blokovan nesouhlas nesuhlas _nechce_byt_kontakt neposil nepozyv nezvat vylouc vyluc neuspe archivovan smazan vymazan _nema_zajem _nema_zaujem nezaujem cerna_listina _odmitl _stahla?_ ^_zemrel _zosnul ^_(duplicit|obsazen|uzavren|pozastaven|propusten|vypoved) _pozice_(obsazena|uzavrena)_ _bez_souhlasu_ _bez_suhlasu_ _ne_dekuji_ _nie_dakujem_ neplatn nesplnuj nedostavil anonymizov nepokracov nepostoup _datum_ukonceni_ neprosel nepresel
  avslag avslat avvis _afvis avboj afslag afslaa afslaet avbojt tackat_nej tackade_nej takket_nej takk_nei _nej_tak _nei_takk _(drog|dragit|trukket|trakk)_ tilbaketrukket tillbakadrag aterkall tilbagekald tilbagetruk sparrad spaerret sperret avregistr avanmal afmeldt avmeldt utesl(u|o)t udelukket ekskluder exkluder avliden raderad slettet borttagen svartlist sortlist avbrut annuller avlyst aflyst diskval arkiver kontakta_(ej|inte) kontakt_(ikke|ej) ring_(inte|ikke) hoppat_av utgatt _anstalld_$ _ansat_$ _ansatt_$ _fravalgt_ _bortvald_ _aterta(gen|git)_ avprenumer _blockerad_ _dubb?lett?_ ^_(tjansten_)?tillsatt_$ ^_(stangd|avslutad|uppsagd|slutat|pensionerad|pausad|dod|afdod|opsagt|fratradt|slettes)_$ _(inget|saknar|uten|uden)_samty _ogiltig _ugyldig _nej_tack_ takket_nei underkand _olamplig _aterbetald _stilling_besat_ avslagsorsak _skicka_(inte|ej)_ _bjud_(inte|ej)_in_
  _(inte|ikke|ej|icke)_(langre_|laengere_|lenger_|at_|bli_|blive_)*(kontakt|intress|interess|egnet|lamplig|aktuell|aktuel|godkan|godkend|godkjen|invit|bjud|inbjud|samtyck|samtykk|relevant|kvalific|kvalif|mail|ring|ga_vidare|gar_vidare|valgt|utvald|sms|mott)
  hylat hylkay hylka _peruut _peru(nut|ttu|nu)_ _perui_ kieltay kielto_?$ kieltanyt vetayty estetty suljettu poistettu passiivi epaaktiiv karsittu arkistoi palkattu_$ _ei_(kiinnost|ota|saa|kutsu|sovel|valit|jatkoon|jatka|laheta|yhteytta|kelpaa|hyvaksy|suostu|enaa|haluta?|halua) _ala_(ota|kutsu|laheta|soita)
  redded reddi _ret_$ olumsuz elen(di|en)_ reddet engellen ^_(pasif|kapandi|kapali|vefat_etti|vefat|mukerrer|haric|beklemede|askida|emekli|gonderme|pozisyon_kapandi)_$ silinecek diskalif gecersiz isten_ayril istifa_et hayir_tesekkur onaylamiyor kabul_etmiyor _riza_yok_ riza_(si_)?geri e_?posta_gonderme _(red|ret)_nedeni_ ayrilma_tarihi iptal vazgec cekildi geri_cek engelli?len uygun_degil iletisime_gec(me|ilme) _aramayin _aranma istemiyor ilgilenmiyor kara_liste _silindi arsivl ise_alindi abonelikten basarisiz onay_yok rizasi_yok davet_etme
  _отказ отклон отозва отозв не_(контакт|писать|звон|приглаш|связ|подход|подош|беспок|интерес|соглас|прош|рассм|трев|отправ|актуал|заинт) _неакт заблок самоотказ _(вышел|вышла)_из_(процесс|отбор|конкурс) ^_чс_$ ^_удалить_$ скончал ^_умер(ла)?_ дубл(ь|икат)_ ^_(принят|вышел)_на_работу_ ^_(вакансия_|вакансію_)?закрыт[оа]?_$ _(нет|без)_согласия_ _немає_згоди_ нет_спасибо ^_нет_спасибо неверн(ыи|ая|ое)_(email|e_mail|адрес|почт) недействит уволил ^_на_паузе_$ приостанов _не_сдал ^_возврат_$ дата_увольнения дублікат звільнен ^_помер(ла)?_$ ^_архів_$ черн(ыи|ом)_спис исключ удален дисквал _архив(е|а)?_ _архивир отписа отменен отмена нанят_$ уволен снят_с выбыл провал незаинт
  відмов відхил відклик не_(контакт|писати|дзвон|запрош|підход|підіиш|цікав|турбу|згод|надсил|проиш|зацікав) чорн(ии|ому)_спис виключен видален скасов
  απορρι αποκλει ακυρ αποσυρ αρνη ανακλη διαγραφ ανενεργ _μη_(επικοιν|κατα|ενδιαφ|επιλεξ) δεν_(ενδιαφ|επιθυμ|συναιν)
  elutas visszalep visszavon kizar _nem_(ajanl|erdek|alkalm|kivan|jarul|felel|kap_|keres|hiv|jelent|megfelel|jo_) tiltol letilt inaktiv torolt torolve lemond leiratkoz archival _ne_(keres|kuld|hiv) feketelist
  respins _retras_ retrasa _refuzat anulat _blocat exclus dezabon arhivat descalific _sters_ revocat neeligib necoresp neinteres _nu_(contact|doreste|invit|trimit|este_|mai_|accept|corespun|suna|a_trecut|s_a_prezentat)
  odbij odbacen povuk odustao odustal odustan zavrn umakn neaktiv iskljuc izkljuc blokiran diskvalif arhiviran _(nije|ni)_(zainter|primljen|izabran|odabran|pros) ne_kontaktir ne_pozivat opozvan prekinut otkazan
  tu_choi bi_loai _loai_$ da_huy huy_bo rut_(ho|lui|don|khoi) _khong_(dat|lien|quan_tam|phu|moi_|goi|dong_y|tiep|trung|duoc|nhan) ngung_lien danh_sach_den
  _ditolak mengundurkan dibatalkan _tidak_(lolos|lulus|hubungi|tertarik|memenuhi|dilanjut|setuju|cocok|berminat|layak|aktif|diterima) jangan_(hubungi|kirim|undang) _gugur_ diblokir _gagal_$ _batal_$ tarik_diri daftar_hitam
  ปฏเสธ ไมผาน ถอนตว ยกเลก หามตดตอ ไมสนใจ ไมยนยอม अस्वीक रद्द अयोग्य संपर्क_न नामंज़ूर वापस_ल
  مرفوض _(ال)?رفض انسحب منسحب _ملغ محظور _لا_(تتصل|ترسل|يرغب|تتواصل|تدع|يوافق|اوافق|ارغب) غير_(مؤهل|موهل|مهتم|موافق|مناسب|مقبول|نشط) مستبعد عدم_(الاتصال|التواصل|الموافق) الغاء_الاشتراك القائمة_السوداء مؤرشف مورشف استبعاد تم_(الغاء|رفض|استبعاد) انصراف _لغو_ رد_شد مردود تماس_نگیر
  נדח _סירב _פסול _נפסל _לא_(ליצור|לפנות|מתאי|מעוני|רלוונטי|להתקשר|לשלוח|להזמין|עבר|מאשר|התקבל) הוסר הסיר חסומ? חסום מבוטל _בוטל _ויתר _ביטל רשימה_שחורה ארכיון _דחוי משך_מועמדות משכה_מועמדות
  不採用 不合格 辞退 見送 連絡不 連絡禁 連絡しない 連絡拒 連絡停止 配信停止 送信停止 除外 失格 送信不 送らない 対象外 ブラックリスト 退会 退職済 却下 お断り 断り 取消 取り消 キャンセル 選考終了 落選 拒否 不通過 希望しない 同意しない 同意なし 不同意 無効 アーカイブ 採用見合 保留 送付不要 招待不要 招待しない ^_退職_$ 退職日 ^_削除 削除(済|依頼|フラグ) 死亡 逝去 故人 採用済 採用決定 募集(終了|停止) ^_終了_$ 取り下げ 取下げ 結構です 不達 返金 音信不通 ^_(停止|利用停止|欠席)_$ 興味(な|無)し 匿名化 
  拒绝 拒絕 淘汰 勿联系 勿聯 不要联系 不要聯 请勿 請勿 未通过 未通過 不通过 不通過 退订 退訂 取消 黑名单 黑名單 不合 不适合 不適合 不符 放弃 放棄 已拒 撤回 婉拒 婉謝 婉谢 未录用 未錄用 不录用 不予 不感兴趣 不考虑 停用 禁用 已删除 归档 歸檔 不匹配 不要(发送|發送) 无需测试 無需測試 没有兴趣 沒有興趣 待删除 去世 ^_已故_$ 重复 重複(?!なし|無) 已入职 已录用 已錄用 已录取 已关闭 已關閉 未同意 无效 無效 退信 退款 未到场 ^_(暂停|搁置|冻结|凍結|暫停)_$ 不錄用 已封存 ^_已?離職_$ 离职日期 不感興趣 不同意 不邀请 不邀請 排除 ^_已?离职_$ 不再联系 失效 谢绝 謝絕 落选 落選 无意向 無意願 终止 終止
  불합격 거절 거부 탈락 취소 포기 제외 연락_?(금지|불가|하지|중단|거부) 철회 반려 부적합 블랙_?리스트 비활성 보류 미동의 동의_?안 동의하지 불참 탈퇴 삭제 해지 발송_?금지 사퇴 미통과 부적격 초대_?금지 초대하지 ^_보관됨?_$ ^_(퇴사|퇴직|사망|정지|마감|종료|입사|차단)(자|됨|_완료)?_$ 퇴사일 중복(?!_?아님) 입사_완료 채용_(완료|마감) 부동의 괜찮습니다 무효 반송 잘못된_이메일 환불 관심_?없음 이용_정지 차단됨
`)

/** Invited already, or the record of an invite. */
const ALREADY = stems(`
  _already_(been_)?(invited|tested|sent|assessed|((took|taken|did|done|completed|passed|sat)_(it|this|(the|our)_)?)) _(took|taken|did|done|passed|completed|sat)_(the|our|this)_([^_]+_)?(test|quiz|assessment)_ _(test|assessment)_(date_)?taken_ ^_completed_(the_)?(test|quiz|assessment)_ _previously_invited_ _(previous|prior|last|earlier)_(invite|invitation)_ _date_(invited|sent|of_(the_)?invit) _(invited|inviting)_(on|at|date|time)_ ^_(was_|been_|is_|has_been_)?invited_$ ^_sent_(on|at|date)?_?$ _(invite|invitation)s?_(expires|expiry|id|ids|on|at|date|time|code|sent|link|url|emailed|e_?mail_sent)_ _(test|quiz|assessment|challenge|exam|invite)_(link|url|invited|done|completed|taken|passed|finished|submitted)_ _(link|test|quiz|assessment|challenge|exam|invite|mail|e_?mail)_sent_ ^_tested_(on_)?$ _(sent|emailed)_(the_)?(invite|invitation|test|link|assessment|quiz) _challenge_url_
  eingeladen _(schon|bereits)_(getestet|gemacht|absolviert)_ _test_(schon_|bereits_)?(gemacht|absolviert)_ einladung(s)?(datum|link|id|sdatum|versand) einladung_(am|(ver|ge)?(schickt|sandt|sendet)) _(test|quiz)link_ (versandt|gesendet|verschickt)_am_ _test_(verschickt|versandt|gesendet)_
  invitation_(envoyee|le_) invitee?_le_ date_(d_|de_l_)?(invitation|envoi) (_a_)?deja_(invit|envoy|passe_|fait_) _lien_(du_|de_|d_)?(test|invitation) _envoyee?_le_ ^_invitees?_$ _test_envoye _test_(deja_)?(passe|fait|effectue)_
  ya_(invit|envi|hizo|realiz) _prueba_(realizada|hecha)_ invitacion_enviada fecha_(de_)?(la_)?(invitacion|envio) enlace_(de_la_|del_|de_)?(prueba|test|invitacion) ^_invitad[oa]s?(_el)?_$ _prueba_enviada
  gia_(invit|svolto|fatto) invito_inviato data_(di_|dell_)?(invito|invio) link_(del_|al_)?test ^_invitat[oa](_il)?_$ _test_inviato ja_convid ja_envi ja_fez_ convite_enviado data_(do_|de_)?(convite|envio) link_do_(teste|convite) ^_convidad[oa](_em)?_$ _teste_enviado
  uitgenodigd uitnodiging_(verstuurd|verzonden) uitnodigingsdatum _testlink_ _test_(al_|reeds_)?gedaan_ zaproszon[yao] _juz_(zrobi|wykona|testow) _jiz_(testov|vyplnen) zaproszenie_wysl wyslano_zaprosz data_(zaproszenia|wysylki) link_do_testu _pozvan[yao]?_ pozvanka_odesl datum_pozvan _inbjuden_ _redan_(gjort|testa) _allerede_(gjort|gjennomfort|gennemfort|testet) inbjudan_skick _invitere?t_ invitasjon_sendt invitation_sendt testlank _kutsuttu_ kutsu_lahetet davet_(edildi|gonderildi|tarihi|linki) test_gonderildi
  _приглашен _тест_(уже_)?проиден _проходила?_тест _прош(ел|ла)_тест приглашение_отпр дата_приглаш ссылка_на_тест _запрошено запрошення_надісл meghivva meghivo_kuld invitat_la invitatie_trimis da_moi_ da_gui_ sudah_diundang undangan_terkirim _pozvan_ تمت_دعوت تم_ارسال رابط_الاختبار _הוזמנ? _הוזמן קישור_למבחן
  招待済 送信済 送付済 招待日 送信日 案内済 受験url 受験済 受検済 テストurl 已邀请 已邀請 已发送 已發送 已发邀请 ^_已测试_ 测试已完成 已参加过测试 已做过 邀请日期 邀请链接 测试链接 초대됨 초대_?완료 발송_?완료 초대일 응시_?완료 이미_(응시|완료) 테스트_?링크
`)

/** To be invited, or consent to it. */
const YES_TO = stems(`
  ^_(is_|are_|please_|ready_(to_|for_)?|should_|shall_|ok_(to_|for_)|to_|we_|be_|can_|may_|will_)*(invited?|send|include[ds]?|enabled|account_enabled|approved?|eligible|qualified|active|selected|shortlisted?|proceed|subscribed|subscribed_to_e_?mails?|go_ahead|cleared|contactable)(_(it|them|him|her|candidate|person|now|to_test|to_assessment|for_(the_)?(test|assessment|quiz|skills_test)|for_testing))?_((y|yes)_?(n|no)?_|[josed]_n_|s_n_|ja_nein_|oui_non_|si_no_)?$
  ^_(to_(be_)?|should_(be_)?|can_be_|send_|ready_to_|please_)(test(ed)?|assess(ed)?|invite[ds]?|send|sent|contact(ed)?)_ _(invite|send)_(a_|the_|skills?_|coding_)*(test|quiz|link|invite|invitation|assessment|challenge|email)_ _(approved|cleared|selected|eligible|ready|invite|shortlisted)_(for|to)_ consent _approval_ _opt(ed|s)?_?in_ _agree[ds]?_ _agreement_to_ _include_in_ ^_go_no_go_ ^_(participates|shortlist|keep|rehire_eligible)_$ _e?_?mail(ing)?s?_allowed_ _may_we_keep_ ^_freigabe_ ^_validee?_$ _apt[oa]_para_ _still_interested_in_ ^_approved_by_ _(test|assessment)_(required|needed|necessary|invite|ok)_ _(needs?|requires?|take|wants?)_(a_|the_|skills_|coding_)*(test|quiz|assessment)_ ^_(ready|in_scope|move_forward)_$ _(contact|e?_?mail)_(allowed|ok|okay|permitted|permission|consent)_ _accept(s|ed)?_(the|our|to|terms|privacy|contact|data|being) _(may|can|ok|okay|happy|willing|want|wants|like|wish|wishes|allowed)_(we_|to_|be_)*(contact|invit|e?_?mail|send|take_|do_(the|a)|participat|receive) allows?_contact permission_to ^_(are_you_)?(still_)?interested_(in_(the_|this_|taking_).*)?$ ^_(gdpr|dsgvo|rgpd|lgpd|rodo|avg|kvkk|popia|gdpr_ok)_$ ^_particip(ate|ating|ation)_
  ^_(bitte_|zu_|test_|soll_|link_)*(einladen|senden|versenden|verschicken|schicken|anschreiben|freigegeben|freigabe|genehmigt|geeignet|aktiv|ausgewahlt|testen|einzuladen|mitmachen|teilnahme|teilnehmen)_([jy]_n_|ja_nein_)?$ einwillig zustimm einverstand _(durfen|konnen)_wir_ _darf_ich_ _mochten_sie_(am_|den_|einen_|teilnehmen|getestet|eingeladen) genehmigung _kontakt(aufnahme)?_(erlaubt|gestattet|erwunscht|ok|moglich)_ _darf_(kontakt|angeschr|einge) _(soll|will)_(eingeladen|getestet|teilnehmen) _nimmt_teil_ _test_(erforderlich|notig|notwendig)_
  ^_(a_|etre_)?(inviter|envoyer|convoquer|tester|approuvee?|acti(f|ve)|retenue?|selectionnee?|contacter)_(o_n_|oui_non_)?$ consentement _acceptez_vous_ _souhaitez_vous_(passer|etre|recevoir|participer) _pouvons_nous_ _j_accepte_ _accepte_(d|de|le|la|les|etre)_ _contact_autorise autoris(e|ation)_(de_|le_|a_)?contact _d_accord_pour _accord_(rgpd|contact|du_)
  ^_enviar_(la_)?prueba_ ^_enviar_(o_)?teste_ ^_(a_|para_|por_)?(invitar|enviar|aprobad[oa]|activ[oa]|apt[oa]|seleccionad[oa]|elegible|evaluar|contactar)_(s_n_|si_no_)?$ consentimiento _podemos_ _desea_(recibir|participar|realizar|hacer)_ _acepto_ _acepta_ _autoriz[oa]_ autorizacion _contacto_permitido
  ^_(da_)?(invitare|inviare|idone[oa]|approvat[oa]|attiv[oa]|selezionat[oa]|contattare)_(s_n_|si_no_)?$ consenso _possiamo_ _(vuoi|desideri)_(partecip|ricev|sosten|essere) acconsent _accett[oa]_ autorizz _contatto_consentito
  ^_(a_)?(convidar|enviar|aprovad[oa]|ativ[oa]|selecionad[oa]|elegivel|contatar)_(s_n_|sim_nao_)?$ _pode(mos)?_(contat|convid|envi) _deseja_(receber|participar|realizar|fazer)_ _aceito_ _aceita_ _concord[oa] autorizac _contato_permitido
  ^_(uit_te_nodigen|uitnodigen|versturen|verzenden|geschikt|goedgekeurd|actief|geselecteerd|benaderen)_(j_n_|ja_nee_)?$ toestemming _akkoord_ _mogen_(we|wij)_ _mag_(benader|gecontact|worden|uitgenod|gemaild) ^_(do_)?(zaproszenia|zaprosic|wyslac|zaakceptowan[yao]|aktywn[yae])_ zgoda_ _zgody_ wyrazam ^_(pozvat|odeslat|poslat|schvaleno|aktivni)_ souhlas suhlas ^_(bjud_in|bjuda_in|inviter|inviteres|skicka|send|sendes|aktiv|godkand|godkendt|godkjent)_(test_)?(j_n_|ja_nej_)?$ _samtyck _samtykk ^_(kutsu|kutsutaan|laheta|hyvaksytty|aktiivinen)_ suostumus ^_(davet_et|davet|gonder|gonderilsin|onaylandi|aktif)_ acik_riza _onayi?_ _riza ^_(meghiv|meghivando|kuldendo|aktiv)_ hozzajarul beleegyez _consimt _acordul?_ ^_(invita|de_invitat|trimite|activ|aprobat)_$ ^_(pozvati|pozovi|poslati|odobren)_ suglasn saglas soglasj privol
  ^_(пригласить|приглашать|отправить|активен|одобрен[оа]?)_ соглас ^_(запросити|надіслати|активнии|схвалено)_ згода συγκαταθ συναιν ^_αποστολη_ ^_(moi|gui)_(test|bai)? dong_y _setuju persetujuan ^_(undang|kirim)_ ยนยอม सहमति
  موافق ^_(دعوة|ارسال)_ للدعوة الموافق رضایت _להזמין_ _לשלוח_ הסכמ מאשר 招待 送信 送付 同意 受験可 配信可 案内可 連絡可 邀请 邀請 发送 發送 可联系 초대 발송 동의
`)

/* Consent to something else, or a column about a person's life or work, in which a word of the vocabulary means nothing. */
const OTHER_SUBJECT = stems(`
  newsletter _references?_ _referees?_ _(consent|agree|opt_?in)_.*_(photo|video|sms|cookies|recording) _(photo|video|cookies?|recording|whatsapp|sms)_(consent|opt) _compan(y|ies)_ _employer_ _firma_ _firm_ _arbeitgeber_ _entreprise_ _societe_ _empresa_ _azienda_ _bedrijf_ _organi[sz]ation_ _job_title_ _title_ (?<!_th(is|e))_position_ _occupation_ _profession (?<!_th(is|e))_role_ _department_ _team_ _account_name_ _client_ _customer_ _city_ _town_ _address _street_ _country_ _region_ _location_ _ort_ _wohnort_ _ville_ _ciudad_ _citta_ _cidade_ _plaats_ _school_ _university_ _college_ _degree_ _major_ _skills?_(?!test|assess|quiz|challenge) _certifica[tz]?i?o?n?e?s?_ _gender_ _geschlecht_ _race_ _ethnicity_ _hispanic _veteran _disabilit _visa_ _vaccin _courses?_ _poste_ _disabled_ _nationality_ _pronouns?_ _marital_ _military _nickname_ _surname_ _product_ _project_ _hobbies _interests_ _languages?_ _portfolio_ _campaign_ 会社 企業 勤務先 学校 大学 公司 学校 회사 학교
`)

/* A yes or no below it is about the test or the invite, however the question is asked. */
const OF_TEST = stems(`
  _test(s|e|u|i|en|et|om|a)?_ _tescie_ _assessment _quiz _exam_ _challenge_ _invit einlad _prueba_ _evaluacion_ _prova_ uitnod zapros _pozv _inbjud _тест _приглаш テスト 受験 受検 招待 测试 測試 邀请 邀請 테스트 응시 초대
`)
export const isOfTest = (heading: string) => OF_TEST.test(wordsOf(heading))

/* What somebody says about the person, whoever it is. */
const REMARK = / (feedback|comments?|notes?|remarks?|response|bemerkung|notiz|kommentare?|commentaires?|comentarios?) /

/** How far somebody is in a process: only a person knows which of the values are meant. */
const STATUS = stems(`
  status_ statuses_ statut_ statuts_ statusz _(stages?|state|disposition|outcome|decision|recommendation|steps?|phase|pipeline|folder|workflow|lifecycle|funnel|verdict|results?|standing|progress)_ _(bewerbungs|bearbeitungs|verfahrens|prozess|kandidaten|bewerber)(stand|phase|stufe)_ ^_stand_ _(stufe|ergebnis|entscheidung|prozessschritt|auswahlphase|bewertungsergebnis)_ phase_ _(etape|avancement|resultat|decision|situation)_ _(estado|etapa|fase|situacion|resultado|situacao|andamento|decisao)_ _(stato|esito|decisione)_ _(stadium|stap|uitkomst|besluit|fase|stand)_ _(etap|stan|wynik|decyzja|krok)_ _(stav|faze|faza|vysledek|vysledok|rozhodnuti|krok)_ _(trinn|steg|fas|skede|stadie|utfall|resultat|beslut|beslutning|tilstand)_ _(vaihe|tila|tulos|paatos)_ _(durum|durumu|asama|asamasi|sonuc|sonucu|karar)_ _(allapot|szakasz|eredmeny|dontes)_ _(stadiu|stare|rezultat|decizie|status)
  статус стадия _этап состояни результат решени стан_ _етап рішенн κατασταση σταδιο αποτελεσμα _trang_thai_ _giai_doan_ _ket_qua_ _tinh_trang_ _vong_ _tahap(an)?_ _hasil_ _keputusan_ สถานะ ขนตอน ผลการ स्थिति चरण
  ステータス 状態 状況 段階 フェーズ ステージ 選考 結果 合否 判定 進捗 状态 狀態 阶段 階段 进度 進度 结果 結果 状况 環節 环节 상태 단계 결과 진행 전형 현황 합격_?여부 סטטוס שלב מצב_ תוצאה החלטה _(ال)?حاله?ة?_ _(ال)?مرحلة_ _(ال)?نتيجة_ _(ال)?قرار_ وضعیت مرحله نتیجه
`)
const NO_STATUS = stems(
  '_(marital|civil|civile|cywilny|familienstand|veteran|disability|visa|citizenship|immigration|military|vaccination|residency|work_permit|payment|billing|shipping|health|date|datum|fecha|data|at|on|days|since|changed|updated|by|time|united)_ 日_$ 日時',
)

const YES = stems(`
  ^_(yes|yeah|yep|sure|ok|okay|ja|jo|joo|oui|si|sim|tak|ano|igen|kylla|evet|да|так|ναι|כן|نعم|بله|はい|是|예|네|co|ya|haan|हाँ)_ ^_(y|yy|true|1|1_0|x|xx|on|j|s|o|t|v|vrai|wahr|vero|verdadero|verdadeiro|waar|da|はい|有|可|済|sí|prawda|sant|totta|истина)_$ ^_(un)?_?(checked|ticked|selected)_$ ^_(granted|given|accepted|agreed|approved|confirmed|obtained|erteilt|gegeben|liegt_vor|accorde|accordee|donne|otorgado|concedido|dado|concesso|gegeven|verleend|udzielona|udzielono|wyrazona|wyrazono|udelen|givet|gitt|annettu|verildi|получено|дано|同意する|同意します|同意済|同意|承諾|已同意|동의함|동의|موافق|אושר|מאשר)_ ^_[✓✔☑✅☒👍⬛○◯√+]_
`)
const NO_ANSWER = stems(`
  ^_(no|nope|none|never|nein|nicht|non|nee|niet|nie|ne|nei|nej|ei|nem|nu|nao|hayir|khong|tidak|нет|ні|ні|οχι|לא|لا|いいえ|否|아니오|아니요|不|नहीं)_ ^_(n|false|0|0_0|off|f|unchecked|unticked|not|nil|null|nothing|pending|to_do|todo|to_send|draft|planned|outstanding|offen|ausstehend|geplant|en_attente|pendiente|pendente|in_attesa|falsch|faux|falso|onwaar|falskt|falsk|epatosi|yok|brak|keine?|aucune?|ninguno|nessuno|ingen|geen|無|なし|无|無し|不可|ng|不要|没有|沒有|없음|未)_$ ^_not_ ^_(n_a|na|k_a|n_v|not_applicable|nicht_zutreffend|sans_objet)_$ ^_[☐✗✘❌✖👎⛔🚫×✕]_
`)
/* Before a word, it takes the word back: "not rejected", "noch nicht eingeladen", "to be invited". */
const NEGATED =
  / (not|never|nicht|niet|inte|ikke|ej|не|без|noch|nog|ainda|aun|todavia|ancora|jeszcze|jeste|annu|enda|endnu|henuz|еще|ще)( yet| been| be| ever| noch)? $/
const NOT_YET = / (to|zu|soll|nie|ne|non|pas|nao|no|a|da|per)( be| ancora| encore)? $/

function stems(text: string): RegExp {
  return new RegExp(fold(text.trim().replaceAll(/\s+/g, '|')).replaceAll('_', ' '), 'u')
}

/* Without case and accents. */
function fold(text: string): string {
  const plain = text.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '').normalize('NFC')
  return plain.replaceAll(/[ßıłøæđœ]/g, (letter) => LETTERS[letter] ?? letter)
}

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ı: 'i', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', œ: 'oe' }

/* Longer ones are prose, of which the short sentences are read: normalizing takes quadratic time. */
const [MAX_LENGTH, MAX_SENTENCE, MAX_PROSE] = [80, 40, 1_000]

/** A text as the vocabulary compares it: with one space before, between and after its words. */
function wordsOf(text: string): string {
  const parts = text.length > MAX_LENGTH ? text.slice(0, MAX_PROSE).split(/[.;!?\n]/) : []
  if (parts.length > 0) return parts.map((each) => (each.length > MAX_SENTENCE ? ' … ' : wordsOf(each))).join('…')
  const found = fold(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(/[\p{L}\p{N}\p{So}+×√]+/gu)
  return found === null ? '' : ` ${found.join(' ')} `
}

/** What a heading is about: people to leave out, people who have an invite, people to invite, a status, or something else. */
export type Subject = 'no' | 'already' | 'yes' | 'status' | 'other'

export function subjectOf(heading: string, values: Iterable<string> = []): Subject | undefined {
  const words = wordsOf(heading)
  if (says(NO, words)) return 'no'
  if (says(ALREADY, words)) return 'already'
  const isOther = OTHER_SUBJECT.test(words) && !REMARK.test(words)
  const mayAsk = !isOther && !words.includes(' marketing ')
  if (mayAsk && YES_TO.test(words)) return 'yes'
  /* "Pending" and "accepted" below "Invite status" say how far somebody is, and not no and yes. */
  if (STATUS.test(words) && !NO_STATUS.test(words)) return 'status'
  const cells = new Set(isOfTest(heading) ? [...values].map(cellOf) : [])
  if (mayAsk && cells.has('yes') && cells.has('no') && !cells.has('other')) return 'yes'
  return isOther ? 'other' : undefined
}

/** What a cell says: by its words, whatever its column, not to invite or invited already; else yes (any tick) or no. */
export type Cell = 'blank' | 'leave-out' | 'invited' | 'yes' | 'no' | 'other'

export function cellOf(text: string): Cell {
  const words = wordsOf(text)
  if (words === '') return 'blank'
  if (says(NO, words)) return 'leave-out'
  if (says(ALREADY, words)) return 'invited'
  return YES.test(words) ? 'yes' : NO_ANSWER.test(words) ? 'no' : 'other'
}

function says(stem: RegExp, words: string): boolean {
  const found = stem.exec(words)
  const before = words.slice(0, words.lastIndexOf(' ', found?.index) + 1)
  return found !== null && !NEGATED.test(before) && !(stem === ALREADY && NOT_YET.test(before))
}

const IS_INVITED =
  /^ (created|opened|viewed|started|in progress|submitted|completed|complete|done|finished|passed|failed|scored|expired|delivered)( \d+)? $/

/** Whether a status means, in a list of invites, that there is one. */
export function meansInvited(text: string): boolean {
  const words = wordsOf(text)
  return says(ALREADY, words) || IS_INVITED.test(words)
}

/** Reads yes or no in any of the known languages. `undefined` if it is neither. */
export function parseYesOrNo(text: string, ifEmpty?: boolean): boolean | undefined {
  const words = wordsOf(text)
  if (words === '') return ifEmpty
  if (words.trim().includes(' ')) return undefined
  return YES.test(words) ? true : NO_ANSWER.test(words) ? false : undefined
}
