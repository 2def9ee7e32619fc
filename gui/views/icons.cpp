#include "gui/views/icons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>
#include <QWidget>

namespace rackwright::gui {
namespace {

/// Paths in a square of 24, drawn with round lines; one that begins with '*' is filled.
const char* pathOf(Icon which) {
  switch (which) {
    case Icon::add: return "M12 5v14M5 12h14";
    case Icon::cancel: return "M6 6l12 12M18 6L6 18";
    case Icon::chart: return "M4 4v16h16M8 15l3-4 3 2 5-7";
    case Icon::check: return "M5 12.5l4.5 4.5L19 7.5";
    case Icon::clock: return "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 7v5l3.5 2";
    case Icon::close: return "M7 7l10 10M17 7L7 17";
    case Icon::dark: return "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z";
    case Icon::document: return "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6";
    case Icon::duplicate: return "M9 9h11v11H9zM5 15H4V4h11v1";
    case Icon::error: return "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M9 9l6 6M15 9l-6 6";
    case Icon::folder: return "M3 6h6l2 2h10v11H3z";
    case Icon::moveDown: return "M12 5v14M6 13l6 6 6-6";
    case Icon::moveUp: return "M12 19V5M6 11l6-6 6 6";
    case Icon::newFile: return "M6 3h8l4 4v14H6zM14 3v4h4M12 11v6M9 14h6";
    case Icon::note: return "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 11v5M12 8v.01";
    case Icon::open: return "M3 6h6l2 2h8v3M3 6v13h15l3-8H6l-3 8";
    case Icon::pause: return "*M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";
    case Icon::redo: return "M20 9H9a5 5 0 0 0 0 10h4M16 5l4 4-4 4";
    case Icon::remove: return "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5";
    case Icon::report: return "M4 4h16v16H4zM8 16v-4M12 16V8M16 16v-6";
    case Icon::reset: return "M5 5v5h5M5.5 10a7.5 7.5 0 1 1-1 5";
    case Icon::run: return "*M7 4.5v15l12-7.5z";
    case Icon::save: return "M4 4h13l3 3v13H4zM8 4v5h8V4M8 20v-6h8v6";
    case Icon::search: return "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L20 20";
    case Icon::stop: return "*M6 6h12v12H6z";
    case Icon::table: return "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14";
    case Icon::undo: return "M4 9h11a5 5 0 0 1 0 10h-4M8 5L4 9l4 4";
    case Icon::warning: return "M12 4L2.5 20h19zM12 10v5M12 17.5v.01";
  }
  return "";
}

class LineIcon final : public QIconEngine {
 public:
  LineIcon(Icon which, const QColor& color) : which_(which), color_(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const QPalette palette = QGuiApplication::palette();
    const QPalette::ColorGroup group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    const bool own = color_.isValid() && mode != QIcon::Disabled;
    const QByteArray color = (own ? color_ : palette.color(group, QPalette::ButtonText)).name().toLatin1();
    const QByteArray path = pathOf(which_);
    const bool filled = path.startsWith('*');
    const QByteArray look = filled ? "fill=\"" + color + "\" stroke=\"none\"" : "fill=\"none\" stroke=\"" + color + "\"";
    QSvgRenderer renderer("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 24 24\"><path d=\"" + path.mid(filled ? 1 : 0) + "\" " + look +
                          " stroke-width=\"1.7\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>");
    renderer.render(painter, rect);
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap image(size);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return image;
  }

  QIconEngine* clone() const override { return new LineIcon(which_, color_); }

 private:
  Icon which_;
  QColor color_;
};

/// Drawn when it is shown, so that it follows the palette.
class IconWidget final : public QWidget {
 public:
  IconWidget(Icon which, int size) : icon_(icon(which)) {
    setFixedSize(size, size);
    setAttribute(Qt::WA_TransparentForMouseEvents);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    icon_.paint(&painter, rect());
  }

 private:
  QIcon icon_;
};

}  // namespace

QWidget* iconWidget(Icon which, int size) { return new IconWidget(which, size); }

QIcon icon(Icon which, const QColor& color) { return QIcon(new LineIcon(which, color)); }

}  // namespace rackwright::gui
