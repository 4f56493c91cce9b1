"""The words of Spanish."""

import re

from commonplace.language.words.lexicon import Language, Slot, phrases, words

_DAYS = "(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)"
_MONTHS = (
    "(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre"
    "|diciembre)"
)
_NUMBERS = "una dos tres cuatro cinco seis siete ocho nueve diez once doce".split()
_HOURS = "|".join(_NUMBERS)


def _slot(
    name: str, state: str, change: str = "", *, is_single: bool = True, found_by: str = ""
) -> Slot:
    return Slot(name, is_single, phrases(state), phrases(change), found_by.split())


SPANISH = Language(
    name="es",
    verb_first=False,
    head_first=True,
    capital_nouns=False,
    has_participles=False,
    stops=words(
        "el la los las un una unos unas de del al a en es son era eran soy somos está están "
        "estaba fue que y o por "
        "con se me le les lo su sus ha han he hemos muy así entonces este esta ese esa"
    ),
    articles=words("un una"),
    definite=words("el la"),
    prepositions=words("de del al a en por para con sobre bajo debajo entre"),
    self_words=words("yo mi mis mí me"),
    group_words=words("nosotros nos nuestro nuestra nuestros nuestras"),
    pronouns=words("él ella ellos ellas esto eso su sus"),
    single=words(
        "nombre apellido edad cumpleaños dirección correo email teléfono número ciudad país "
        "empresa trabajo "
        "profesión salario altura peso color puerto versión base fecha plazo estado zona "
        "idioma editor contraseña "
        "presupuesto precio límite jefe pareja plan moneda capital lugar proveedor alquiler "
        "pista horario"
    ),
    preferred=phrases("favorit[oa]|preferid[oa]|principal|actual"),
    copulas=phrases("es_de|es|son|era|eran|soy|está|están|estaba|fue|será|serán|="),
    verbs=phrases(
        "tiene|tengo|tienen|tenemos|bebe|bebo|come|como|gustan?|quiere|quiero|necesita|toca"
        "|habla|admite|soporta"
        "|va|voy|fui|corre|reúnen?|abre|cierra|sale|llega|empieza|termina|dura|fuma|lee"
        "|escribe|estudia"
        "|desplegamos|hacen?|rota|rotan|acepta|envía|guarda|juega|pasa|comía|haz|hagas|podría"
        "|aprueba"
    ),
    roles=phrases("es|son|soy|somos|es_de"),
    auxiliaries=phrases(""),
    endings=re.compile(r"(?<=[^\W\d]{2}[aei])(?:r|s|mos)$"),
    events=phrases(
        "visité|visitó|conocí|quedé|pagué|pagó|compré|compró|vi|vio|arreglamos|arregló"
        "|encontré|envió|escribió"
        "|llamé|llamó|comí|leí|terminó|terminé|empezó|llegó|asistí|celebró|recibí|pedí|reparó"
        "|pintó|eligió"
        "|elegimos|ganó|perdió|creó|construyó|reservé|dije|dijo|fuimos"
    ),
    many=phrases("gustan?|toca|lee|conoce|habla|quiere|quiero|escribe|bebe|come|va|voy|juega"),
    slots=(
        _slot(
            "lives",
            "viv(?:o|e|en|imos|ía|es)(?:_en)?",
            "(?:se|me|nos)_(?:mud|traslad)(?:ó|é|amos|aron)_a",
            found_by="vive vivo mudó mudé",
        ),
        _slot(
            "works",
            "trabaj(?:o|a|an|amos|aba)_(?:en|para)|trabajando_(?:en|para)|empleado_en",
            "(?:se|me)_un(?:ió|í)_a|empezó_a_trabajar_en|empecé_en|entró_en|fichó_por",
            found_by="trabaja trabajo",
        ),
        _slot("role", "trabaj(?:o|a)_(?:de|como)", "se_convirtió_en|ascendió_a|pasó_a_ser"),
        _slot(
            "age",
            "tien(?:e|en)_\\d+_años|tengo_\\d+_años",
            "cumpl(?:ió|í)_\\d+(?:_años)?",
            found_by="años",
        ),
        _slot(
            "called",
            "(?:se|me)_llam(?:a|o|an)",
            "(?:fue_)?renombrad[oa]_(?:a|como)|pasó_a_llamarse",
        ),
        _slot("born", "nac(?:ió|í)_en"),
        _slot("married", "casad[oa]_con|comprometid[oa]_con"),
        _slot("port", "escucha_en_el_puerto"),
        _slot("price", "cuestan?"),
        _slot(
            "owner",
            "lleva|dirige|gestiona|mantiene|es_responsable_del?|responsable_del?|se_encarga_del?|se_ocupa_del?",
            "asumió|se_hizo_cargo_de|tomó_el_relevo_de",
        ),
        _slot("approver", "aprob(?:ado|ados)_por|los_aprueba|lo_aprueba|la_aprueba|gestionado_por"),
        _slot(
            "uses",
            "us(?:a|o|amos|an)|utiliz(?:a|o|amos|an)|funciona_con|aloja(?:do|da)_en|corre_en",
            "(?:se_)?(?:migr|pas)(?:ó|é|amos)_a",
            is_single=False,
            found_by="usa usamos uso",
        ),
        _slot("written", "escrit[oa]_en", "reescrit[oa]_en"),
        _slot("is in", "est(?:á|án|oy|amos)_en"),
        _slot("drives", "conduc(?:e|o)|maneja", is_single=False),
        _slot("prefers", "prefier(?:o|e|en)|preferimos", is_single=False),
        _slot(
            "changes",
            "",
            "(?:se_)?(?:cambi(?:ó|é|amos)|movió|aumentó|subió|bajó|redujo|aplazó|adelantó"
            "|retrasó|amplió|pospuso|actualizó)"
            "_(?:a|al|hasta)",
        ),
    ),
    fillers=phrases(
        "(?:por_favor,?_)?(?:recuerda|ten_en_cuenta|anota)_que|por_favor|por_cierto|hola"
        "|todavía|aún|actualmente"
        "|realmente|justo|hoy|recientemente|siempre|normalmente|bueno"
    ),
    changes=phrases(
        "ahora|(?<=mi_)nuev[oa]|(?<=nuestr[oa]_)nuev[oa]|(?<=el_)nuevo|(?<=la_)nueva"
        f"|a_partir_de(?:l)?_(?:ahora|hoy|mañana|{_DAYS}|{_MONTHS}|\\d+(?:_de_{_MONTHS})?)"
        "|desde_(?:hoy|ahora"
        f"|ayer|el_{_DAYS}|{_MONTHS})|en_adelante|hoy_en_día|en_su_lugar|por_fin|ya_(?!no)"
        "|definitivamente"
    ),
    corrections=phrases(
        "en_realidad|de_hecho|corrección|olvida(?:_eso|lo)|borra_eso|me_equivoqué"
        "|estaba_equivocad[oa]"
        "|(?:perdón,?_)?quise_decir(?:_que)?|quería_decir(?:_que)?|no,_espera|mi_error"
        "|me_expresé_mal|perdón"
    ),
    additions=phrases(
        "también|además|otr[oa]s?|asimismo|segund[oa]|tercer[oa]?|adicionalmente|tanto|igualmente|junto_con"
    ),
    hints=phrases("nuev[oa]s?|desde|ya_no|ahora"),
    conditions=phrases(""),
    exceptions=phrases(
        "si(?!no)|quizás?|tal_vez|a_lo_mejor|podría|podríamos|posiblemente|quier(?:e"
        "|o)_\\w+(?:ar|er|ir)(?:se|me)?"
        "|quisiera|planea|planeo|pens(?:ando|amos)_en|considera(?:ndo)?|esper(?:a|o)_\\w+(?:ar"
        "|er|ir)"
        "|sueña_con|va_a_\\w+(?:ar|er|ir)(?:se)?|voy_a_\\w+(?:ar|er|ir)(?:me)?"
        "|(?:solo_)?est[ae]_(?:semana|mes|vez)"
        "|s[oó]lo_hoy|excepcionalmente|por_una_vez|temporalmente|de_momento|^mañana"
        "|(?:es_)?broma|(?:ja)+ja?|casi"
        "|imagina|próxima_semana"
    ),
    past=phrases(
        "antes|anteriormente|solía[ns]?|antiguamente|en_el_pasado|de_niñ[oa]|hace_\\w+_años"
        "|cuando_era|originalmente"
        "|en_aquel_entonces|vivía_antes"
    ),
    denials=phrases("no|nunca|jamás|sin|ni|ningún|ninguna|evita|odia|prohibido|tampoco"),
    aversions=phrases("odia|odio|evita|evito"),
    ended=phrases("ya_no|no_más|dej(?:ó|é|amos|aron)_de"),
    over_after=phrases(
        "no(?=_[^.;]{1,60}_sino_)|en_lugar_de|en_vez_de|reemplaz(?:ó|a)(?:_a)?|sustituy(?:ó"
        "|e)(?:_a)?|(?:cambi|migr|pas|traslad|mud)(?:ó|é|amos|aron)"
        "(?:_(?:la|el)_\\w{1,30})?_de|dej(?:ó|é|amos|aron)(?:_de_usar)?|abandon(?:ó|é|amos)"
        "|vend(?:ió|í|imos)|cancel(?:ó|é|amos)"
        "|elimin(?:ó|é|amos)|renunció_a|(?:nos|se|me)_(?:fuimos|fue|fui)_de|cerr(?:ó|é|amos)"
    ),
    over_before=phrases(
        "(?:está|están|fue|fueron|ha_sido|quedó)_(?:ahora_)?(?:obsolet[oa]s?|reemplazad[oa]s?"
        "|retirad[oa]s?"
        "|cancelad[oa]s?|eliminad[oa]s?|descatalogad[oa]s?)|murió|ya_no_existe"
    ),
    until=phrases("a|por|con|para|porque|y|pero|sino"),
    replaced_by=phrases("reemplaz(?:ó|a)(?:_a)?|sustituy(?:ó|e)(?:_a)?"),
    purposes=phrases("para|cuando|durante|mientras"),
    periods=phrases(
        "por_la_(?:mañana|tarde|noche)|entre_semana|(?:los_)?fin(?:es)?_de_semana"
        "|(?:en_)?(?:verano|invierno"
        "|primavera|otoño)|cada_mañana|20\\d\\d|19\\d\\d"
    ),
    values={
        "rhythm": phrases(
            "diariamente|diario|semanal(?:mente)?|mensual(?:mente)?|anual(?:mente)?|a_diario"
            "|dos_veces_\\w{1,9}"
            "|cada_(?:(?:\\d+|dos|tres|diez|treinta|veinte|cinco)_)?(?:minutos?|horas?|días?"
            "|semanas?|mes(?:es)?|años?)"
        ),
        "date": phrases(
            f"\\d{{1,2}}_de_{_MONTHS}|\\d{{4}}-\\d{{2}}-\\d{{2}}|\\d{{1,2}}/\\d{{1,2}}/\\d{{2,4}}"
        ),
        "day": phrases(f"{_DAYS}s?"),
        "time": phrases(
            f"(?:a|hasta)_las?_(?:\\d{{1,2}}(?::\\d{{2}})?(?!\\w)|{_HOURS})(?:_y_media)?"
            "|\\d{1,2}:\\d{2}|mediodía|medianoche"
        ),
        "money": phrases("[$€£]\\d[\\d.,]*|\\d[\\d.,]*_?(?:euros?|eur|€|dólares|pesos)"),
        "open": phrases("abiert[oa]|cerrad[oa]"),
        "on": phrases(
            "activad[oa]|desactivad[oa]|habilitad[oa]|deshabilitad[oa]|encendid[oa]|apagad[oa]"
        ),
        "family": phrases("casad[oa]|solter[oa]|divorciad[oa]|viud[oa]|separad[oa]"),
    },
    numbers={word: str(at) for at, word in enumerate(_NUMBERS, start=1) if word != "una"},
)
