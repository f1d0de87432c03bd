"""Words by which the ledger tells a stated value from a remark: names of values, and what is never one."""

from tui_agent.context.words import listed

NOUNS = listed(
    """name password passphrase passcode token key secret credential credentials port host hostname server url uri
    address email phone number path directory dir folder file filename branch repo repository database db schema
    table column bucket queue topic user username login account id identifier version language author owner
    maintainer deadline date birthday budget limit timeout threshold size command script goal aim objective
    purpose project title character hero heroine protagonist antagonist villain narrator city town country
    village street room code pin region zone environment env model framework library editor tag label color
    colour font currency price cost amount order ticket customer client plan level tier company team lead
    manager contact codename nickname namespace cluster endpoint domain format encoding locale timezone license
    architecture platform os runtime interval retention quota ttl seed epoch epochs interest rate serial product
    edition setting genre tone audience style tense chapter keyword theme dose weight height age prefix suffix
    extension provider vendor registry image tool linter formatter indent indentation schedule window reviewer
    approver engine driver backend frontend backup home root entrypoint ip iban stack dosage salary height
    codeword safeword watchword keyphrase policy strategy hostname bucket queue codec
    passwort kennwort iban bic adresse anschrift datum frist termin liefertermin betrag preis stundensatz kunde kundin
    kundennummer rechnungsnummer bestellnummer auftragsnummer steuernummer kontonummer telefonnummer projektname
    ansprechpartner ansprechpartnerin lieferant firma verzeichnis ordner datei pfad befehl datenbank benutzer
    benutzername schlüssel sprache farbe währung zeitzone grenze rabatt skonto ziel ort raum"""
)
"""Nouns that name values, in English and German."""

SECRETS = listed("passwort kennwort password passphrase passcode codeword safeword watchword keyphrase secret pin")
"""Last words of names whose values may be any plain words."""

SECRET_WORDS = listed("code pass key safe secret magic seed recovery watch")
"""What makes "word" and "phrase" behind it the name of a value ("the launch code word")."""

NOUNS_ZH = (
    "IP|名字|名称|名|端口号?|密码|口令|密钥|作者|语言|目标|目录|路径|命令|地址|邮箱|电话|数据库|用户|版本号?|分支|仓库|账号|账户|主机"
    "|域名|日期|时间|预算|上限|下限|超时|阈值|编号|单号|型号|城市|主角|反派|书名|标题|框架|模型|令牌|服务器|环境|编辑器|工具|负责人"
    "|客户|项目|公司|代号|颜色|价格|金额|地点|期限|窗口|格式|编码|时区|货币|节点|实例|区域|接口|前缀|后缀|周期|间隔|数量|频率|大小"
    "|容量|联系人|昵称|题目|主题|体裁|风格|人称|时态|背景|篇幅|字数|受众|镜像|引擎|包管理器|管理器|库|队列|许可证|生日|年龄|身份证"
    "|暗号|暗语|安全词|助记词|单价|折扣|税率|工期|截止日|经理|导师|医生"
)
"""Chinese nouns that name values, as an alternation for a pattern."""

NOUNS_JA = (
    "ポート(?:番号)?|パスワード|暗証番号|合言葉|サーバー?|ホスト(?:名)?|期限|締め?切り?|予算|名前?|担当者?|住所|電話番号|ブランチ|バージョン"
    "|データベース|ユーザー|キー|URL|上限|下限|金額|単価|環境|場所|日時|日付|番号|言語|フォルダー?|ディレクトリ|ファイル|パス|コマンド|タイムアウト"
)
"""Japanese ones."""

NEVER_NAMES = listed(
    """set run use add export put curl let problem issue question thing reason answer point idea error bug cause fix
    solution result output it this that there here what which who where when why how everything nothing something
    someone anyone es das dies wer was wo wie warum grund frage i you we they he she one rest difference trick catch
    trouble case fact way first second other example summary note noted understood remembered confirmed acknowledged"""
)
"""What remarks begin with, never names of values."""

LOOSE_NAMES = listed(
    """file path command example value number id line test function url link image message script table column code key
    tool user size amount order ticket date price limit version tag label chapter character topic room setting rate cost
    step error"""
)
"""Names that mean another thing each time; only a correction makes a later value replace an earlier one."""

LONG_VALUES = listed("goal aim objective purpose plan title setting style tone audience tagline subtitle motto")
"""Names whose values are phrases and may hold a comma."""

NO_VALUE = listed(
    """not wrong broken fine ok okay good great bad too very still really missing failing unclear unknown empty correct
    important likely just also here there gone down up ready done slow fast already being used required needed optional
    invalid valid what where why how when that which because always never supposed going about right left nice odd weird
    strange same different similar clear full big small huge tiny long short better worse best worst hard easy difficult
    incorrect happening stuck dead deprecated safe unsafe quite rather pretty so more less much many all only almost
    currently probably maybe perhaps visible hidden allowed forbidden deleted removed changed added updated called named
    expected interesting boring beautiful lovely simple weak strong out known public private secure stored kept given
    shared leaked exposed compromised expired encrypted hashed rotated blank unset mandatory yours mine ours high low
    noted understood remembered confirmed acknowledged
    falsch richtig gut schlecht kaputt nicht noch schon sehr wichtig fertig da weg leer klar neu alt unbekannt egal
    offen geschlossen auch nur bekannt geheim sicher unsicher abgelaufen gesperrt geändert nötig leider"""
)
"""How something is, not what its value is."""
